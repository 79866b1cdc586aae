import { exampleValues } from '../call/result-fields.ts';
import type { CompiledSql, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import type { Database } from '../ports.ts';
import type { SqlValue } from '../sql-value.ts';

const TIMEOUT_MS = 10_000;

/**
 * Plans a statement with example values for its parameters, and runs nothing. `Database.prepare` alone stops at a
 * parameter whose type is open, as in `stock - $n`, and reports nothing that follows it. Throws an error that concerns
 * the statement, and ignores one that concerns the values.
 */
export async function planWithExamples(
  entry: ToolEntry | ResourceEntry,
  { sql, order, mode }: CompiledSql,
  database: Database,
): Promise<void> {
  if (order.length === 0) return;
  const values = exampleValues(entry, order);
  const plan = mode === 'read' ? `DESCRIBE ${sql}` : `EXPLAIN ${sql}`;
  const call = { caller: null, signal: new AbortController().signal, timeoutMs: TIMEOUT_MS };
  try {
    await database.run({ sql: plan, values, mode, maxRows: 1 }, call);
  } catch (thrown) {
    if (!(thrown instanceof SvcError) || concernsStatement(thrown.message, sql, values)) throw thrown;
  }
}

const ABSENT =
  /^(?:Binder|Catalog) Error: [^\n]*?\b(?:[Cc]olumn (?:name|named)|[Cc]olumn|[Tt]able(?! with)|name) "?([^"\s!]+)"?/;

/** Whether DuckDB's error names a part of the statement. A name that only a value has, such as of a table, is none. */
function concernsStatement(message: string, sql: string, values: readonly SqlValue[]): boolean {
  if (message.startsWith('Binder Error: Unexpected prepared parameter')) return true;
  // Lists, structs and nulls of other calls may have other types.
  if (message.startsWith('Binder Error: No function matches'))
    return values.every((value) => value !== null && typeof value !== 'object');
  const [, name] = ABSENT.exec(message) ?? [];
  return name !== undefined && !values.includes(name) && sql.toLowerCase().includes(name.toLowerCase());
}
