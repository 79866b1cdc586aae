import { absolutePath } from '../../adapters/node/absolute-path.ts';
import { withLease } from '../../src/call/runtime.ts';
import { compareSnapshots } from '../../src/quality/drift/compare-snapshot.ts';
import { BASELINE } from '../../src/quality/drift/document.ts';
import { type Snapshot, toSnapshot } from '../../src/quality/drift/snapshot.ts';
import { readMacros, readTables } from '../../src/quality/drift/tables.ts';
import { checkStatements } from '../../src/quality/statements.ts';
import type { EndpointReport } from '../../src/quality/test/report.ts';
import { runTests } from '../../src/quality/test/run.ts';
import { readBaseline } from '../drift/baseline.ts';
import { isSourced, readersOf, readModules } from '../drift/snapshot.ts';
import type { RunningProject } from '../project/running.ts';
import type { DriftState } from './model.ts';

/** Compares the served project and its database with the baseline, as `svc drift-check` does. */
export async function checkDrift(running: RunningProject): Promise<DriftState> {
  const { project, findings } = running.checked;
  const path = absolutePath(project.root, project.site?.drift.path ?? '');
  const baseline = await readBaseline<Snapshot>(BASELINE, path);
  if (baseline === null) {
    return { changes: [], message: 'There is no baseline. `svc drift-snapshot` makes one.' };
  }
  if (findings.some(({ severity }) => severity === 'error')) {
    return { changes: [], message: 'The project has errors. Correct them first.' };
  }
  const changes = compareSnapshots(baseline.content, await takeServedSnapshot(running));
  return {
    message: changes.length === 0 ? `No drift from ${baseline.path}.` : null,
    changes: changes.map(({ class: severity, subject, path: at, message }) => ({
      severity,
      title: `${subject}${at === '' ? '' : `: ${at}`}. ${message}`,
    })),
  };
}

/** A snapshot through the database that is open already. Tools that write are left out. */
async function takeServedSnapshot({ checked, runtime }: RunningProject): Promise<Snapshot> {
  const { signal } = new AbortController();
  const { catalog } = runtime;
  const readers = readersOf(checked, catalog);
  const reports: EndpointReport[] = [];
  for (const endpoint of readers) reports.push(await runTests(endpoint, { runtime, user: null, signal }));
  return withLease(runtime, signal, async (leased) => {
    const database = await leased.database();
    const tables = await readTables(database, signal);
    const macros = await readMacros(database, signal);
    const serving = { platform: null, engine: database.engine };
    const found = await checkStatements(readers.filter(isSourced), catalog, database, serving);
    const modules = await readModules(checked);
    const { project } = checked;
    return toSnapshot({ project, catalog, tables, macros, reports, findings: found, modules });
  });
}
