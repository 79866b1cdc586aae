import { spawn } from 'node:child_process';
import { fillDatabase } from '../../adapters/duckdb-native/files/database-file.ts';
import { messageOf } from '../../src/errors.ts';
import { stopOnSignal } from '../io/delete-on-signal.ts';
import { findProgram } from '../io/programs.ts';

/** A DuckDB on this machine: ours, a Python package, or a program. */
export interface Converter {
  readonly name: string;
  /** Runs statements in a new DuckDB, and returns the first column of the last one as text. Throws DuckDB's error. */
  query(statements: readonly string[]): Promise<readonly string[]>;
}

/** The engines that can be tried, in order: ours, then `python3` (or SVC_PYTHON) with duckdb, then `duckdb`. */
export async function findConverters(): Promise<readonly Converter[]> {
  const python = process.env.SVC_PYTHON?.trim() || (await findProgram('python3'));
  const program = await findProgram('duckdb');
  return [
    { name: 'svc', query: queryNative },
    ...(python === null ? [] : [{ name: python, query: queryPython(python) }]),
    ...(program === null ? [] : [{ name: program, query: queryProgram(program) }]),
  ];
}

function queryNative(statements: readonly string[]): Promise<readonly string[]> {
  return fillDatabase(':memory:', async ({ run, column }) => {
    for (const statement of statements.slice(0, -1)) await run(statement);
    return column(statements.at(-1) ?? '');
  });
}

/** Reads a list of statements from stdin. The current folder is no place for modules. */
const SCRIPT = `
import json, sys
sys.path = [folder for folder in sys.path if folder]
try:
    import duckdb
except ImportError as error:
    sys.exit(f'it has no package duckdb ({error})')
try:
    connection = duckdb.connect()
    connection.execute('SET enable_progress_bar = false')
    for statement in json.load(sys.stdin):
        connection.execute(statement)
    print(json.dumps([str(row[0]) for row in connection.fetchall()]))
except duckdb.Error as error:
    sys.exit(f'duckdb {duckdb.__version__}: {error}')
`;

function queryPython(program: string) {
  return async (statements: readonly string[]): Promise<readonly string[]> => {
    const printed = await runProgram(program, ['-c', SCRIPT], JSON.stringify(statements));
    return JSON.parse(printed) as readonly string[];
  };
}

/** DuckDB's own program prints an array of objects for each statement that has rows, the last one last. */
function queryProgram(program: string) {
  const options = ['-init', process.platform === 'win32' ? 'NUL' : '/dev/null', '-bail', '-json'];
  return async (statements: readonly string[]): Promise<readonly string[]> => {
    const printed = await runProgram(program, options, `${statements.join(';\n')};\n`);
    const start = Math.max(printed.lastIndexOf('\n['), 0);
    const rows = JSON.parse(printed.slice(start).trim() || '[]') as readonly Readonly<
      Record<string, unknown>
    >[];
    return rows.map((row) => String(Object.values(row)[0]));
  };
}

/** Runs a program to its end. If it fails, throws an error with its stderr. */
function runProgram(program: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(program, args);
    const printed: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk) => printed.push(chunk));
    child.stderr.on('data', (chunk) => errors.push(chunk));
    // A program that ends early closes its end of the pipe; its exit code says why.
    child.stdin.on('error', () => {});
    const keep = stopOnSignal(() => child.kill('SIGKILL'));
    child.on('error', (cause) => fail(new Error(`it cannot be started: ${messageOf(cause)}`)));
    child.on('close', (code) => {
      keep();
      if (code === 0) done(Buffer.concat(printed).toString());
      else fail(new Error(Buffer.concat(errors).toString().trim() || `it ended with ${code}`));
    });
    child.stdin.end(input);
  });
}
