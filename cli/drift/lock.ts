import { join } from 'node:path';
import { compileCatalog } from '../../src/catalog/compile.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { Project } from '../../src/project/model.ts';
import { positionAt } from '../../src/project/yaml/position.ts';
import type { DriftChange } from '../../src/quality/drift/change.ts';
import { compareContracts } from '../../src/quality/drift/compare-contract.ts';
import { type Contract, contractSubjectOf, toContract } from '../../src/quality/drift/contract.ts';
import { LOCK } from '../../src/quality/drift/document.ts';
import type { CheckedProject } from '../project/project.ts';
import { type Baseline, readBaseline, requireBaseline } from './baseline.ts';
import { toValueText } from './change-text.ts';

/** Lies beside svc-site.yml. There is one for all profiles, because clients see the same in each. */
export const LOCK_FILE = 'svc-lock.json';

/** The content of the lock. */
type LockContent = { readonly project: string; readonly endpoints: Contract };

/** Makes the content of the lock from a catalog. */
export function toLock(catalog: Catalog): LockContent {
  return { project: catalog.project, endpoints: toContract(catalog) };
}

/** Reads the lock of a project; null if there is none. */
export function readLock({ root }: Project): Promise<Baseline<LockContent> | null> {
  return readBaseline<LockContent>(LOCK, join(root, LOCK_FILE));
}

/** Compares the lock with a catalog: every change that clients would see. */
export function compareLock(locked: Baseline<LockContent>, catalog: Catalog): readonly DriftChange[] {
  return compareContracts(locked.content.endpoints, toLock(catalog).endpoints);
}

/** Reports every difference from the lock as a finding. Throws if there is no lock. */
export async function checkLock({ project, findings }: CheckedProject): Promise<readonly Finding[]> {
  const locked = await requireBaseline<LockContent>(LOCK, join(project.root, LOCK_FILE));
  if (findings.some(({ severity }) => severity === 'error')) return [NOT_CHECKED];
  return compareLock(locked, await compileCatalog(project)).map((change) => toFinding(change, project));
}

const NOT_CHECKED: Finding = {
  severity: 'info',
  code: 'lock-not-checked',
  file: LOCK_FILE,
  line: 0,
  column: 0,
  message: 'The endpoints were not compared with the lock, because the project has errors.',
  fix: 'Correct them, and validate again.',
};

function toFinding(change: DriftChange, { endpoints }: Project): Finding {
  const { class: name, subject, path, message } = change;
  const file = endpoints.find(({ endpoint }) => endpoint && contractSubjectOf(endpoint) === subject);
  const place = file ? positionAt(file.positions, [file.kind]) : { line: 0, column: 0 };
  return {
    severity: 'error',
    code: `lock-${name}`,
    file: file?.file ?? LOCK_FILE,
    ...place,
    message: `${path === '' ? subject : `${subject}: ${path}`} differs from the lock (${name}): ${toValueText(change)}. ${message}`,
    fix: 'Undo the change, or accept it with `svc lock` and commit svc-lock.json.',
  };
}
