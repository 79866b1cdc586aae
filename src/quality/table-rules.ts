import type { Database } from '../ports.ts';
import type { Finding } from '../project/finding.ts';
import { foldName } from '../project/fold-name.ts';
import type { TableRule } from '../project/model.ts';
import { SITE_NAME } from '../project/site-model.ts';
import { type Path, type Positions, positionAt } from '../project/yaml/position.ts';
import { suggestName } from '../types/nearest.ts';
import { readOwnTables, type Tables } from './drift/tables.ts';

/** Compares the rules of `sql_tools.tables` with the tables and columns of the project's own database. */
export async function checkTablesExist(
  rules: readonly TableRule[],
  positions: Positions,
  database: Database,
): Promise<readonly Finding[]> {
  if (rules.length === 0) return [];
  const { columnsOfRows } = await import('../policy/checks/tables.ts');
  const tables = await readOwnTables(database, new AbortController().signal);
  return rules.flatMap((rule, index) =>
    issuesOf(rule, columnsOfRows(rule), tables).map(({ path, message, fix }) => ({
      severity: 'error',
      code: 'table-rule',
      file: SITE_NAME,
      ...positionAt(positions, ['sql_tools', 'tables', index, ...path]),
      message,
      fix,
    })),
  );
}

interface Issue {
  readonly path: Path;
  readonly message: string;
  readonly fix: string;
}

function issuesOf(rule: TableRule, read: readonly string[], tables: Tables): readonly Issue[] {
  const [, table] = Object.entries(tables).find(([name]) => isSame(name, rule.name)) ?? [];
  if (table === undefined) {
    const message = `The database has no table or view ${rule.name}, so the rule shows nothing.`;
    return [{ path: ['name'], message, fix: fixOf(rule.name, Object.keys(tables)) }];
  }
  const known = table.columns.map(({ name }) => name);
  const named: readonly (readonly [Path, string])[] = [
    ...read.map((column) => [['rows'], column] as const),
    ...(rule.hide ?? []).map((column, index) => [['hide', index], column] as const),
    ...(rule.mask ?? []).map((column, index) => [['mask', index], column] as const),
  ];
  return named
    .filter(([, column]) => !known.some((name) => isSame(name, column)))
    .map(([path, column]) => ({
      path,
      message: `${rule.name} has no column ${column}, so every call that reads the table fails.`,
      fix: fixOf(column, known),
    }));
}

function isSame(one: string, other: string): boolean {
  return foldName(one) === foldName(other);
}

function fixOf(name: string, known: readonly string[]): string {
  return suggestName(name, known, `Use one of: ${known.slice(0, 20).join(', ')}.`);
}
