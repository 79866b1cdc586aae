import type { CompiledSql } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import type { JsonObject } from '../json.ts';
import type { RestrictedTable, SqlRequest, SqlResult } from '../ports.ts';
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
  const list = visible.map(({ name }) => name.toLowerCase());
  const sql = `SELECT * FROM (${request.sql}) WHERE list_contains($1, lower(name))`;
  return { request: { ...request, sql, values: [{ list }] }, toVisible: (result) => result };
}

/** The columns of one table. */
function columnsOf(request: SqlRequest, visible: readonly RestrictedTable[], name: string): Restricted {
  const table = visible.find((one) => one.name.toLowerCase() === name.toLowerCase());
  const toVisible = (result: SqlResult): SqlResult => ({
    ...result,
    rows: table === undefined ? [] : result.rows.flatMap((row) => toColumn(row, table)),
  });
  return { request, toVisible };
}

function toColumn(row: JsonObject, { hide, mask }: RestrictedTable): readonly JsonObject[] {
  const is = (column: string) => column.toLowerCase() === String(row.name).toLowerCase();
  if (hide.some(is)) return [];
  return Object.keys(mask).some(is) ? [{ ...row, type: 'VARCHAR', nullable: 'YES' }] : [row];
}
