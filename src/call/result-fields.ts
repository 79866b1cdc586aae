import type { CompiledSql, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import { absentFields } from '../policy/columns.ts';
import { declaresField } from '../policy/fields.ts';
import type { Database, SqlCall, SqlColumn } from '../ports.ts';
import { answerParameters } from '../project/elicitation-model.ts';
import { toSqlValue } from '../sql/bind.ts';
import type { SqlValue } from '../sql-value.ts';
import { exampleOf } from '../types/example.ts';

const MOST_COLUMNS = 10_000;

type Entry = ToolEntry | ResourceEntry;

/**
 * Returns a test of whether a result has a field: a column of the statement, a part of one, or a field that `return` of a
 * function declares. Null if the columns cannot be known.
 */
export async function resultFields(
  entry: Entry,
  database: Database,
  call: SqlCall,
): Promise<((field: string) => boolean) | null> {
  const { source, returns } = entry;
  if (source.language !== 'sql') return (field) => declaresField(returns, field);
  const columns = await describeColumns(entry, source, database, call);
  return columns.length === 0 ? null : (field) => absentFields([field], columns).length === 0;
}

/** The columns of a query of an endpoint, which does not run; none if it writes, or no example values fit. */
export async function describeColumns(
  entry: Entry,
  { sql, order, mode }: Pick<CompiledSql, 'sql' | 'order' | 'mode'>,
  database: Database,
  call: SqlCall,
): Promise<readonly SqlColumn[]> {
  if (mode === 'write') return [];
  const request = {
    sql: `DESCRIBE ${sql}`,
    values: exampleValues(entry, order),
    mode,
    maxRows: MOST_COLUMNS,
  };
  try {
    const { rows } = await database.run(request, call);
    return rows.map(({ column_name, column_type }) => ({
      name: String(column_name),
      type: String(column_type),
    }));
  } catch (thrown) {
    if (thrown instanceof SvcError && thrown.code === 'sql_failed') return [];
    throw thrown;
  }
}

/** An example for each parameter of a statement, because the engine needs typed values to plan it. */
export function exampleValues(
  { parameters, ask = [] }: Entry,
  order: readonly string[],
): readonly SqlValue[] {
  const known = [...parameters, ...answerParameters(ask)];
  return order.map((name) => {
    const parameter = known.find((one) => one.name === name);
    return parameter === undefined ? null : toSqlValue(parameter, exampleOf(parameter) ?? null);
  });
}
