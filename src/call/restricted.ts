import { OWN_TABLES, SHOWN_NAME } from '../catalog/builtin.ts';
import type { CompiledSql } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { RestrictedTable, SqlRequest, SqlResult } from '../ports.ts';
import { foldedSql, foldName } from '../project/fold-name.ts';
import type { Runtime } from './runtime.ts';

/** A request of a built-in SQL tool under `sql_tools.tables`, and the view of its result that the caller may have. */
export interface Restricted {
  readonly request: SqlRequest;
  readonly toVisible: (result: SqlResult) => SqlResult;
}

/** Applies `sql_tools.tables` to a request for one caller. Throws `denied`. */
export async function restrict(
  { clock }: Pick<Runtime, 'clock'>,
  { tables, statement }: CompiledSql,
  request: SqlRequest,
  { user }: Pick<RequestContext, 'user'>,
): Promise<Restricted> {
  if (tables === undefined) return { request, toVisible: (result) => result };
  const { restrictTables } = await import('../policy/tables/restrict.ts');
  const visible = restrictTables(tables, user, clock);
  if (statement !== undefined) {
    return { request: { ...request, restricted: visible }, toVisible: (result) => result };
  }
  const [name] = request.values;
  return typeof name === 'string' ? columnsOf(request, visible, name) : tableList(request, visible);
}

/** The list of tables, filtered before its rows are limited. */
function tableList(request: SqlRequest, visible: readonly RestrictedTable[]): Restricted {
  const list = visible.map(({ name }) => foldName(name));
  const sql = `SELECT * FROM (${request.sql}) WHERE list_contains($1, ${foldedSql('name')}) AND ${isOneTable('name')} ORDER BY name`;
  return { request: { ...request, sql, values: [{ list }] }, toVisible: (result) => result };
}

/**
 * The SQL of whether one table has a name. `more` of the schema `other`, and `other.more` or `Other.More` of main, have the same.
 * A rule cannot mean both.
 */
function isOneTable(name: string): string {
  const same = `${OWN_TABLES} AND ${foldedSql(SHOWN_NAME)} = ${foldedSql(name)}`;
  return `(SELECT count(*) FROM information_schema.tables WHERE ${same}) = 1`;
}

/** The columns of one table. */
function columnsOf(request: SqlRequest, visible: readonly RestrictedTable[], name: string): Restricted {
  const table = visible.find((one) => foldName(one.name) === foldName(name));
  const toVisible = (result: SqlResult): SqlResult => {
    // A hidden table with more columns than a result has rows looks like one that is absent.
    if (table === undefined || result.rows.length === 0) return { ...result, rows: [], truncated: false };
    enforceColumns(table, result);
    return { ...result, rows: result.rows.flatMap((row) => toColumn(row, table)) };
  };
  const sql = `SELECT * FROM (${request.sql}) WHERE ${isOneTable('$1')}`;
  // Rules are compared with all columns, also with those that are too large to show.
  const { maxBytes: _, ...whole } = request;
  return { request: { ...whole, sql }, toVisible };
}

/** Throws `project_invalid` if a rule names a column that the table lacks: the one it means would be visible. */
function enforceColumns({ name, hide, mask }: RestrictedTable, { rows }: SqlResult): void {
  const known = new Set(rows.map((row) => foldName(String(row.name))));
  const absent = [...hide, ...Object.keys(mask)].find((column) => !known.has(foldName(column)));
  if (absent === undefined) return;
  const message = `The rule of \`sql_tools.tables\` for ${name} cannot be applied: the table has no column ${absent}.`;
  throw new SvcError('project_invalid', message);
}

function toColumn(row: JsonObject, { hide, mask }: RestrictedTable): readonly JsonObject[] {
  const is = (column: string) => foldName(column) === foldName(String(row.name));
  if (hide.some(is)) return [];
  return Object.keys(mask).some(is) ? [{ ...row, type: 'VARCHAR', nullable: 'YES' }] : [row];
}
