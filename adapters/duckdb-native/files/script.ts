import type { DuckDBConnection } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';
import { lexSql } from '../../../src/sql/lexer.ts';
import { quoteText } from '../../../src/sql/quote.ts';
import { statementsOf } from '../../../src/sql/statement.ts';
import { toQueryError } from '../errors.ts';
import { withFile } from './database-file.ts';

/** A longer script, for instance one that contains the data, runs as a whole. */
const LONGEST_LEXED = 1_000_000;

/**
 * Runs the author's script, of any number of statements, on a database file, which is created if missing. Relative paths
 * start at `folder`, or at the working directory.
 */
export async function runScript(path: string, sql: string, folder?: string): Promise<void> {
  await withFile(path, {}, async (connection) => {
    if (folder !== undefined) await connection.run(`SET file_search_path = ${quoteText(folder)}`);
    if (sql.length > LONGEST_LEXED || lexSql(sql).problems.length > 0) await connection.run(sql);
    else await runEach(connection, sql);
  });
}

/** Runs the statements one after the other, so that an error can name its line. */
async function runEach(connection: DuckDBConnection, sql: string): Promise<void> {
  for (const { text, offset } of statementsOf(sql)) {
    const above = sql.slice(0, offset).match(/\n/g)?.length ?? 0;
    await connection.run(`${'\n'.repeat(above)}${text}`).catch((thrown: unknown) => {
      throw located(thrown, text, above + 1);
    });
  }
}

/** Adds the line to an error whose message does not name it. */
function located(thrown: unknown, text: string, line: number): SvcError {
  const error = toQueryError(thrown);
  if (/^LINE \d+:/m.test(error.message)) return error;
  const first = text.split('\n')[0]?.slice(0, 80);
  return new SvcError(error.code, `${error.message}\n\nLINE ${line}: ${first}`, { cause: thrown });
}
