import { SvcError } from '../../../src/errors.ts';
import type { Database, SqlCall } from '../../../src/ports.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import { callOf } from '../fixture.ts';

/** The value `v` of a query as text, or the code of its error: `null`, `42`, `sql_failed`. */
export async function ask(
  database: Database,
  sql: string,
  values: readonly SqlValue[] = [],
  call: Partial<SqlCall> = {},
): Promise<string> {
  return toAnswer(database.run({ sql, values, mode: 'read', maxRows: 2 }, callOf(call)));
}

/** The same of a statement that may write. */
export async function tell(
  database: Database,
  sql: string,
  values: readonly SqlValue[] = [],
  call: Partial<SqlCall> = {},
): Promise<string> {
  return toAnswer(database.run({ sql, values, mode: 'write', maxRows: 2 }, callOf(call)));
}

async function toAnswer(running: ReturnType<Database['run']>): Promise<string> {
  try {
    return String((await running).rows[0]?.v);
  } catch (thrown) {
    if (thrown instanceof SvcError) return thrown.code;
    throw thrown;
  }
}
