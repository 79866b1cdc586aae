import type { Log } from '../../src/ports.ts';
import { type Finding, preventsServing } from '../../src/project/finding.ts';
import type { Project } from '../../src/project/model.ts';
import { type CheckedProject, refuseErrors, soundPart } from '../project/project.ts';

/**
 * The part of a project that is served. A broken endpoint file does not stop the others (spec, "Errors"). Throws for
 * errors of any other file, and if no endpoint is left.
 */
export function servedPart(checked: CheckedProject): Project {
  const broken = brokenFiles(checked);
  const elsewhere = errorsOf(checked).some(({ file }) => !broken.has(file));
  if (elsewhere || (broken.size > 0 && broken.size === checked.project.endpoints.length))
    refuseErrors(checked);
  return soundPart(checked);
}

/** Logs which endpoints are not served, and why, and which tests are broken. */
export function warnOfBroken(checked: CheckedProject, log: Log): void {
  for (const { severity, file, line, column, message, served } of checked.findings) {
    if (served && severity === 'error')
      log({ level: 'warn', message: `${file}:${line}:${column}: broken test: ${message}` });
  }
  for (const { file, line, column, message } of errorsOf(checked)) {
    log({ level: 'error', message: `${file}:${line}:${column}: not served: ${message}` });
  }
}

function brokenFiles(checked: CheckedProject): ReadonlySet<string> {
  const files = new Set(checked.project.endpoints.map(({ file }) => file));
  return new Set(errorsOf(checked).flatMap(({ file }) => (files.has(file) ? [file] : [])));
}

function errorsOf({ findings }: CheckedProject): readonly Finding[] {
  return findings.filter(preventsServing);
}
