import { relative, resolve } from 'node:path';
import type { Finding } from '../../src/project/finding.ts';
import { compareSnapshots } from '../../src/quality/drift/compare-snapshot.ts';
import { BASELINE } from '../../src/quality/drift/document.ts';
import { type Snapshot, toSnapshot } from '../../src/quality/drift/snapshot.ts';
import { readTables } from '../../src/quality/drift/tables.ts';
import { type CheckReport, judgeChanges, skip } from '../../src/quality/gate/report.ts';
import { checkStatements } from '../../src/quality/statements.ts';
import { checkTablesExist } from '../../src/quality/table-rules.ts';
import { readBaseline } from '../drift/baseline.ts';
import { isSourced, readersOf, readModules } from '../drift/snapshot.ts';
import type { ServedEndpoints } from './served-endpoints.ts';

/** Finds each statement that the platform's engine cannot run, and each rule of `sql_tools.tables` without its table or column. */
export async function statementFindings({
  checked,
  catalog,
  database,
  target,
}: ServedEndpoints): Promise<readonly Finding[]> {
  const reading = readersOf(checked, catalog).filter(isSourced);
  const { site, sitePositions = {} } = checked.project;
  return [
    ...(await checkTablesExist(site?.sqlTools.tables ?? [], sitePositions, database)),
    ...(await checkStatements(reading, catalog, database, { platform: target, engine: database.engine })),
  ];
}

/** Compares tables and endpoints with the baseline. Test outcomes have their own check. */
export async function driftCheck({
  checked,
  catalog,
  database,
  allowed,
}: ServedEndpoints): Promise<CheckReport> {
  const { project } = checked;
  const path = resolve(project.root, project.site?.drift.path ?? '');
  const baseline = await readBaseline<Snapshot>(BASELINE, path);
  if (baseline === null) {
    const where = relative(process.cwd(), path) || path;
    return skip('drift', `there is no baseline at ${where}; \`svc drift-snapshot\` makes one`);
  }
  const tables = await readTables(database, new AbortController().signal);
  const modules = await readModules(checked);
  const snapshot = toSnapshot({ project, catalog, tables, reports: null, findings: [], modules });
  return judgeChanges('drift', compareSnapshots(baseline.content, snapshot, { outcomes: false }), allowed);
}
