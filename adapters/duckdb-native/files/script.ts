import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { fromPlainError, SvcError } from '../../../src/errors.ts';
import { lexSql } from '../../../src/sql/lexer.ts';
import { statementsOf } from '../../../src/sql/statement.ts';
import { toQueryError } from '../errors.ts';
import { withFile } from './database-file.ts';
import type { ScriptEnd, ScriptTask } from './script-process.ts';

/** A longer script, for instance one that contains the data, runs as a whole. */
const LONGEST_LEXED = 1_000_000;

/** Runs the author's script, of any number of statements, on a database file, which is created if missing. */
export async function runScript(path: string, sql: string): Promise<void> {
  await withFile(path, {}, async (connection) => {
    if (sql.length > LONGEST_LEXED || lexSql(sql).problems.length > 0) await connection.run(sql);
    else await runEach(connection, sql);
  });
}

/**
 * Runs the author's script in a process whose working directory is `folder`. DuckDB reads relative paths from there, in
 * each kind of statement, and its setting `file_search_path` comes second and does not hold for all.
 */
export async function runScriptIn(folder: string, { path, sql }: ScriptTask): Promise<void> {
  const child = fork(entryBeside(import.meta.url), {
    cwd: folder,
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const task: ScriptTask = { path: resolve(path), sql };
  const { error } = await new Promise<ScriptEnd>((done, fail) => {
    child.once('message', done);
    child.once('error', fail);
    child.once('exit', (code, signal) => fail(endedEarly(signal ?? `exit code ${code}`)));
    child.send(task);
  });
  if (error !== null) throw fromPlainError(error);
}

/** The entry beside this file, in TypeScript or JavaScript as this file is. */
function entryBeside(program: string): URL {
  return new URL(program.endsWith('.ts') ? './script-process.ts' : './script-process.js', program);
}

function endedEarly(how: string): SvcError {
  return new SvcError('database_unavailable', `The process that runs the script ended early (${how}).`);
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
