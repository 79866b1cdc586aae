import type { Finding } from '../../project/finding.ts';
import type { DriftChange } from '../drift/change.ts';

/** The checks before a build, in this order. */
export const CHECKS = ['validate', 'lint', 'secrets', 'lock', 'target', 'tests', 'drift'] as const;
export type CheckName = (typeof CHECKS)[number];

/** The checks that `--allow` accepts: all but `validate`, because an invalid project does not compile. */
export const ALLOWABLE = CHECKS.filter((check) => check !== 'validate');

/** One problem. Plain JSON. */
export type GateIssue = {
  readonly message: string;
  /** The fix of this problem; the check's own `fix` applies to all its problems. */
  readonly fix?: string;
  /** Relative to the project's root. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly change?: DriftChange;
};

/** The result of one check. `allowed`: it failed and the build continues. `skipped`: it had no subject or could not run. */
export type CheckReport = {
  readonly check: CheckName;
  readonly status: 'passed' | 'failed' | 'allowed' | 'skipped';
  readonly problems: readonly GateIssue[];
  /** The fix if the check failed. */
  readonly fix?: string;
  /** The reason for skipping, or a remark that does not stop the build. */
  readonly note?: string;
};

/** A failed check that the build allowed, as in the manifest. */
export type Allowed = { readonly check: CheckName; readonly problems: number };

const FIXES: { readonly [check in CheckName]: string } = {
  validate: 'Correct the errors; `svc validate` shows them with their positions.',
  lint: 'Add the missing texts; `svc lint --severity error` lists them.',
  secrets:
    'Remove them: name the secrets under `secrets` in svc-site.yml, and set their values on the platform.',
  lock: 'Undo the changes, or accept them with `svc lock` and commit svc-lock.json.',
  target:
    'Rewrite the endpoints for the engine of artefacts, disable them, or serve the project with `svc serve`.',
  tests: 'Correct the endpoints or their tests; `svc test --target wasm` shows them.',
  drift: 'Undo the changes, or accept them with `svc drift-snapshot` and commit the file.',
};

/** The report of a check that ran. */
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

/** The report of a check that did not run. */
export function skip(check: CheckName, note: string): CheckReport {
  return { check, status: 'skipped', problems: [], note };
}

/** Converts the errors among findings to problems. */
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

/** Converts breaking changes to problems. Other changes are counted and do not stop the build. */
export function judgeChanges(
  check: 'lock' | 'drift',
  changes: readonly DriftChange[],
  allowed: readonly CheckName[],
): CheckReport {
  const breaking = changes.filter((change) => change.class === 'breaking');
  const others = changes.length - breaking.length;
  const problems = breaking.map((change) => ({ message: toMessage(change), change }));
  const note = `${others} ${others === 1 ? 'change' : 'changes'} that ${others === 1 ? 'breaks' : 'break'} no caller`;
  return judge(check, problems, allowed, others === 0 ? undefined : note);
}

function toMessage({ subject, path, message }: DriftChange): string {
  return `${path === '' ? subject : `${subject}: ${path}`}: ${message}`;
}

/** The failed checks that were allowed. */
export function allowedIn(reports: readonly CheckReport[]): readonly Allowed[] {
  return reports
    .filter(({ status }) => status === 'allowed')
    .map(({ check, problems }) => ({ check, problems: problems.length }));
}

/** Whether no check stops the build. */
export function isOpen(reports: readonly CheckReport[]): boolean {
  return reports.every(({ status }) => status !== 'failed');
}
