import { describeColumns } from '../call/result-fields.ts';
import type { CompiledSql, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import type { Database } from '../ports.ts';
import { repeatedNames } from '../sql/forms.ts';
import { exampleCall } from './hidden-columns.ts';

/**
 * Lists the properties that `return` requires of a row and that the query returns as no column, so that each row fails.
 * Finds nothing if the columns, or their names in the result, cannot be known.
 */
export async function missingColumns(
  entry: ToolEntry | ResourceEntry,
  source: CompiledSql,
  database: Database,
): Promise<readonly string[]> {
  const { returns } = entry;
  const { required = [] } = (returns?.type === 'array' ? returns.items : returns) ?? {};
  if (required.length === 0) return [];
  const names = (await describeColumns(entry, source, database, exampleCall())).map(({ name }) => name);
  if (names.length === 0 || repeatedNames(names).length > 0) return [];
  return required.filter((name) => !names.includes(name));
}
