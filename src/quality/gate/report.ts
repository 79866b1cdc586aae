import type { Finding } from '../../project/finding.ts';
import type { DriftChange } from '../drift/change.ts';

/** What is looked at before an artefact is made, in this order. */
export const CHECKS = ['validate', 'lint', 'secrets', 'lock', 'target', 'tests', 'drift'] as const;
export type CheckName = (typeof CHECKS)[number];

/** What may be built all the same: everything but what cannot be compiled. */
export const ALLOWABLE = CHECKS.filter((check) => check !== 'validate');

/** One thing that is wrong: plain JSON. */
export type GateIssue = {
  readonly message: string;
  /** What to do about this one; the check's own `fix` says what to do about all. */
  readonly fix?: string;
  /** Relative to the project's root. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly change?: DriftChange;
};

/** How one check went: `allowed` failed and was let pass, `skipped` had nothing to look at or no way to. */
export type CheckReport = {
  readonly check: CheckName;
  readonly status: 'passed' | 'failed' | 'allowed' | 'skipped';
  readonly problems: readonly GateIssue[];
  /** What to do where it failed. */
  readonly fix?: string;
  /** Why it was skipped, or what was seen that stops nothing. */
  readonly note?: string;
};

/** What of an artefact was let pass, as its manifest says. */
export type Allowed = { readonly check: CheckName; readonly problems: number };

const FIXES: { readonly [check in CheckName]: string } = {
  validate: 'Correct these; `svc validate` shows them with their places.',
  lint: 'Add what is missing; `svc lint --severity error` shows it.',
  secrets:
    'Take them out: name what the project needs under `secrets` in svc-site.yml, and give the platform the values.',
  lock: 'Undo the changes, or accept them with `svc lock` and commit svc-lock.json.',
  target: 'Write them for the engine of artefacts, disable them, or serve the project with `svc serve`.',
  tests: 'Correct the endpoints or their tests; `svc test --target wasm` shows them.',
  drift: 'Undo the changes, or accept them with `svc drift-snapshot` and commit the file.',
};

/** The report of a check that was made. */
export function judge(
  check: CheckName,
  problems: readonly GateIssue[],
  allowed: readonly CheckName[],
  note?: string,
): CheckReport {
  const said = note === undefined ? {} : { note };
  if (problems.length === 0) return { check, status: 'passed', problems, ...said };
  const status = allowed.includes(check) ? 'allowed' : 'failed';
  return { check, status, problems, fix: FIXES[check], ...said };
}

/** The report of a check that was not made. */
export function skip(check: CheckName, note: string): CheckReport {
  return { check, status: 'skipped', problems: [], note };
}

/** Errors among findings as problems. */
export function toProblems(findings: readonly Finding[]): readonly GateIssue[] {
  return findings
    .filter(({ severity }) => severity === 'error')
    .map(({ message, fix, file, line, column }) => ({
      message,
      fix,
      file,
      ...(line > 0 ? { line, column } : {}),
    }));
}

/** Those changes that break somebody as problems; the others stop nothing and are counted. */
export function judgeChanges(
  check: 'lock' | 'drift',
  changes: readonly DriftChange[],
  allowed: readonly CheckName[],
): CheckReport {
  const breaking = changes.filter((change) => change.class === 'breaking');
  const others = changes.length - breaking.length;
  const problems = breaking.map((change) => ({ message: toMessage(change), change }));
  const note = `${others} ${others === 1 ? 'change' : 'changes'} that ${others === 1 ? 'breaks' : 'break'} nobody`;
  return judge(check, problems, allowed, others === 0 ? undefined : note);
}

function toMessage({ subject, path, message }: DriftChange): string {
  return `${path === '' ? subject : `${subject}: ${path}`}: ${message}`;
}

/** What was let pass. */
export function allowedIn(reports: readonly CheckReport[]): readonly Allowed[] {
  return reports
    .filter(({ status }) => status === 'allowed')
    .map(({ check, problems }) => ({ check, problems: problems.length }));
}

/** Whether nothing stands against it. */
export function isOpen(reports: readonly CheckReport[]): boolean {
  return reports.every(({ status }) => status !== 'failed');
}
