import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Filling } from '../adapters/duckdb-native/files/database-file.ts';
import { SvcError, toSvcError } from '../src/errors.ts';
import { quoteName, toFilePattern } from '../src/sql/quote.ts';
import { UNEVEN } from './csv-form.ts';
import { tableReaderOf } from './table-reader.ts';

/** A value of `--load`: the files and the table they become. */
export interface LoadSource {
  /** The name of the table; null if each file becomes a table named after it. */
  readonly table: string | null;
  /** An absolute path, with patterns: `*`, `?`, `[...]` and `**`. The name of an existing file or folder is no pattern. */
  readonly pattern: string;
}

/** The options whose values name files to load. */
type LoadOption = '--load' | '--from';

/** Parses `path` or `table=path`. Paths are relative to the folder. */
export function parseLoadSource(text: string, folder: string, option: LoadOption = '--load'): LoadSource {
  const [, table, path = ''] = /^(?:([^=/\\]+)=)?(.*)$/s.exec(text) ?? [];
  if (path === '') throw new SvcError('usage', `${option} ${text} names no file. Write path or table=path.`);
  return { table: table ?? null, pattern: resolve(folder, path) };
}

/** The files to load as tables. */
export interface LoadOptions {
  readonly sources: readonly LoadSource[];
  /** Whether to replace existing tables; without it they are an error. */
  readonly replace: boolean;
  /** The option that named the files, for error messages. The default is `--load`. */
  readonly option?: LoadOption;
}

/** A filled table: plain JSON. */
export type LoadedTable = {
  readonly table: string;
  readonly rows: number;
  readonly files: readonly string[];
};

/**
 * Fills tables of a database file and creates the file if needed. Throws project_invalid that names every failed
 * file.
 */
export async function loadTables(
  database: string,
  { sources, replace, option = '--load' }: LoadOptions,
): Promise<readonly LoadedTable[]> {
  const { fillDatabase } = await import('../adapters/duckdb-native/files/database-file.ts');
  return fillDatabase(database, async (filling) => {
    const { tables, missing } = await resolveTables(filling, sources, option);
    const loaded: LoadedTable[] = [];
    const problems: string[] = [...missing];
    for (const { table, files } of tables) {
      try {
        loaded.push({ table, files, rows: await loadTable(filling, { table, files }, replace) });
      } catch (thrown) {
        problems.push(problemOf({ table, files }, thrown, option));
      }
    }
    if (problems.length > 0) throw refusal(problems);
    return loaded;
  });
}

type Table = Omit<LoadedTable, 'rows'>;

interface ResolvedTables {
  readonly tables: readonly Table[];
  /** A problem for each source without files. */
  readonly missing: readonly string[];
}

/** Makes a table of each file, or one table of all files if the source has a name. */
async function resolveTables(
  filling: Filling,
  sources: readonly LoadSource[],
  option: LoadOption,
): Promise<ResolvedTables> {
  const tables: Table[] = [];
  const missing: string[] = [];
  for (const { table, pattern } of sources) {
    const files = await filesOf(filling, pattern);
    if (files.length === 0) missing.push(await explainAbsence(filling, pattern));
    else if (table !== null) tables.push({ table, files });
    else tables.push(...files.map((file) => ({ table: tableName(file), files: [file] })));
  }
  const names = tables.map(({ table }) => table.toLowerCase());
  const twice = tables.find(({ table }, index) => names.indexOf(table.toLowerCase()) !== index);
  if (twice === undefined) return { tables, missing };
  const files = tables.filter(({ table }) => table.toLowerCase() === twice.table.toLowerCase());
  throw refusal([
    ...missing,
    `Several files would become the table ${twice.table}: ${files.flatMap((one) => one.files).join(', ')}. Name the tables: ${option} name=path.`,
  ]);
}

async function filesOf(filling: Filling, pattern: string): Promise<readonly string[]> {
  const exact = await existingAsWritten(pattern);
  return filling.column('SELECT file FROM glob($1) ORDER BY file', [exact]);
}

async function explainAbsence(filling: Filling, pattern: string): Promise<string> {
  const exact = await existingAsWritten(pattern);
  const isFolder = (await filling.column('SELECT file FROM glob($1) LIMIT 1', [`${exact}/*`])).length > 0;
  return isFolder
    ? `${pattern} is a folder. Name its files, for example '${pattern}/*.csv'.`
    : `There is no file ${pattern}.`;
}

/** Returns a pattern that takes the part of the path which exists literally, so that `[1]` may be in a name. */
async function existingAsWritten(path: string): Promise<string> {
  const exists = await stat(path).then(Boolean, () => false);
  const parent = dirname(path);
  if (exists || parent === path) return toFilePattern(path);
  return join(await existingAsWritten(parent), basename(path));
}

/** `exports/sales-2024.csv.gz` becomes `sales_2024`. */
function tableName(file: string): string {
  const name = basename(file)
    .replace(/(\.\w+)(\.gz)?$/i, '')
    .replace(/[^\p{L}\p{N}_]+/gu, '_');
  return /^\p{N}/u.test(name) ? `_${name}` : name;
}

async function loadTable(filling: Filling, { table, files }: Table, replace: boolean): Promise<number> {
  const [only, second] = files;
  // DuckDB would invent a column. Among several files an empty one adds no row.
  if (only !== undefined && second === undefined && (await stat(only)).size === 0) throw empty();
  const name = quoteName(table);
  const create = replace ? 'CREATE OR REPLACE TABLE' : 'CREATE TABLE';
  await filling.run(`${create} ${name} AS FROM ${await tableReaderOf(filling, files)}`);
  const [rows] = await filling.column(`SELECT count(*) FROM ${name}`);
  return Number(rows);
}

function problemOf({ table, files }: Table, thrown: unknown, option: LoadOption): string {
  const { message } = toSvcError(thrown);
  if (/already exists/.test(message)) {
    const replace = option === '--load' ? ', or replace the table with --replace' : '';
    return `${files.join(', ')}: the database already has a table ${table}. Load the file as another table with ${option} name=path${replace}.`;
  }
  if (/not utf-8 encoded/i.test(message))
    return `${files.join(', ')}: the text is not UTF-8. Save it as UTF-8.`;
  if (/not possible to automatically detect the CSV/i.test(message)) return `${files.join(', ')}: ${UNEVEN}`;
  return `${files.join(', ')}: ${message}`;
}

function empty(): SvcError {
  return new SvcError(
    'project_invalid',
    'the file is empty, so it has no columns. Write at least a header line.',
  );
}

function refusal(problems: readonly string[]): SvcError {
  return new SvcError('project_invalid', `These files cannot be loaded:\n${problems.join('\n')}`);
}
