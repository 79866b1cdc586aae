import { resolve } from 'node:path';
import { SvcError } from '../src/errors.ts';

/** A value of `--load`: the files and the table they become. */
export interface LoadSource {
  /** The name of the table; null if each file becomes a table named after it. */
  readonly table: string | null;
  /** An absolute path, which may contain `*`, `?`, `[...]` or `**`. */
  readonly pattern: string;
}

/** The options whose values name files to load. */
export type LoadOption = '--load' | '--from';

/** Parses `path` or `table=path`. Paths are relative to the folder. */
export function parseLoadSource(text: string, folder: string, option: LoadOption = '--load'): LoadSource {
  const [, table, path = ''] = /^(?:([^=/\\]+)=)?(.*)$/s.exec(text) ?? [];
  if (path === '') throw new SvcError('usage', `${option} ${text} names no file. Write path or table=path.`);
  return { table: table ?? null, pattern: resolve(folder, path) };
}

const READERS: { readonly [extension: string]: (files: string) => string } = {
  csv: (files) => `read_csv(${files})`,
  tsv: (files) => `read_csv(${files}, delim = '\t')`,
  json: (files) => `read_json(${files})`,
  jsonl: (files) => `read_json(${files}, format = 'newline_delimited')`,
  ndjson: (files) => `read_json(${files}, format = 'newline_delimited')`,
  parquet: (files) => `read_parquet(${files})`,
};

/** The SQL that reads files of one format, e.g. `read_csv(['a.csv'])`. Throws usage for unknown or mixed formats. */
export function tableReaderOf(files: readonly string[]): string {
  const [format, ...others] = [...new Set(files.map(formatOf))];
  const reader = READERS[format ?? ''];
  if (reader === undefined || others.length > 0) throw formatError(others.length > 0);
  return reader(`[${files.map((file) => `'${file.replaceAll("'", "''")}'`).join(', ')}]`);
}

/** The file's extension without `.gz`. */
function formatOf(file: string): string {
  return /\.(\w+?)(?:\.gz)?$/i.exec(file)?.[1]?.toLowerCase() ?? '';
}

function formatError(mixed: boolean): SvcError {
  const what = mixed
    ? 'The files of one table must have the same format'
    : 'The file extension names no known format';
  return new SvcError(
    'usage',
    `${what}. Known formats: ${Object.keys(READERS).join(', ')}; text formats also with .gz`,
  );
}
