import type { Filling } from '../adapters/duckdb-native/files/database-file.ts';
import { SvcError } from '../src/errors.ts';
import { quoteFiles, quoteName, quoteText, toFilePattern } from '../src/sql/quote.ts';

/**
 * DuckDB decides the type of a column from the first 20,480 rows and the first files unless it reads all of them. It would
 * then round `19.99` to 20, or cut the time off a date, without an error.
 */
const READS_ALL = 'sample_size = -1';
const ALL_FILES = `${READS_ALL}, maximum_sample_files = ${2 ** 31 - 1}`;

/** The options of a format, by the extension. */
const FORMATS: { readonly [extension: string]: { readonly reader: string; readonly options: string } } = {
  csv: { reader: 'read_csv', options: READS_ALL },
  tsv: { reader: 'read_csv', options: `${READS_ALL}, delim = '\t'` },
  json: { reader: 'read_json', options: ALL_FILES },
  jsonl: { reader: 'read_json', options: `${ALL_FILES}, format = 'newline_delimited'` },
  ndjson: { reader: 'read_json', options: `${ALL_FILES}, format = 'newline_delimited'` },
  parquet: { reader: 'read_parquet', options: '' },
};

/** Whether a file is CSV or TSV. */
export function isDelimited(file: string): boolean {
  return FORMATS[formatOf(file)]?.reader === 'read_csv';
}

/** The options with which DuckDB reads a CSV or TSV file. */
export function csvOptionsOf(file: string): string {
  return FORMATS[formatOf(file)]?.options ?? READS_ALL;
}

/**
 * The SQL that reads files of one format as one table with the columns of all of them. Throws usage for unknown or mixed
 * formats.
 *
 *     await tableReaderOf(filling, ['a.csv']) // read_csv(['a.csv'], sample_size = -1)
 */
export async function tableReaderOf(filling: Filling, files: readonly string[]): Promise<string> {
  const [name, ...others] = [...new Set(files.map(formatOf))];
  const format = FORMATS[name ?? ''];
  if (format === undefined || others.length > 0) throw formatError(others.length > 0);
  const options = [format.options, ...(files.length > 1 ? ['union_by_name = true'] : [])].filter(Boolean);
  const read = (more: readonly string[]) =>
    `${format.reader}(${[quoteFiles(files), ...options, ...more].join(', ')})`;
  if (format.reader !== 'read_csv') return read([]);
  const types = await exactTypes(filling, files, read);
  return read(types.length === 0 ? [] : [typesOption(types), await headerOption(filling, files)]);
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
    `${what}. Known formats: ${Object.keys(FORMATS).join(', ')}; text formats also with .gz`,
  );
}

/** A column, and the type that it is read as. */
type ColumnType = readonly [column: string, type: string];

/**
 * The types of columns that would lose digits. DuckDB reads whole numbers beyond 64 bits and all decimals as DOUBLE, which
 * makes one number of two long ids or amounts.
 */
async function exactTypes(
  filling: Filling,
  files: readonly string[],
  read: (more: readonly string[]) => string,
): Promise<readonly ColumnType[]> {
  const columns = await filling.column(
    `SELECT column_name FROM (DESCRIBE FROM ${read([])}) WHERE column_type = 'DOUBLE'`,
  );
  if (columns.length === 0) return [];
  const texts = read([
    typesOption(columns.map((name) => [name, 'VARCHAR'])),
    await headerOption(filling, files),
  ]);
  const facts = columns.map((name) => FACTS.replaceAll('$column', quoteName(name)));
  const [told = '[]'] = await filling.column(`SELECT json_array(${facts.join(', ')}) FROM ${texts}`);
  const found: readonly NumberFacts[] = JSON.parse(told);
  return columns.flatMap((name, index) => {
    const type = exactTypeOf(found[index]);
    return type === null ? [] : [[name, type] as const];
  });
}

/** What the texts of a column of numbers have in common. */
interface NumberFacts {
  /** Whether a DOUBLE is another number than one of the texts, before or just behind its decimal point. */
  readonly loses: boolean;
  /** Whether each text is a number without an exponent. */
  readonly plain: boolean;
  /** The most digits before and behind the decimal point. */
  readonly whole: number;
  readonly behind: number;
}

/** A DOUBLE keeps each whole number of 15 digits. Longer ones are compared with two digits behind the decimal point. */
const FACTS = `json_object(
  'loses', coalesce(bool_or(regexp_matches(trim($column), '^[-+]?0*[1-9]\\d{15}')
    AND (TRY_CAST(TRY_CAST($column AS DOUBLE) AS DECIMAL(38, 2)) IS DISTINCT FROM TRY_CAST($column AS DECIMAL(38, 2)) OR length($column) > 36)), false),
  'plain', coalesce(bool_and(regexp_full_match(trim($column), '[-+]?\\d+(\\.\\d*)?')), false),
  'whole', coalesce(max(length(regexp_extract(trim($column), '^[-+]?0*(\\d+)', 1))), 0),
  'behind', coalesce(max(length(regexp_extract($column, '\\.(\\d+)', 1))), 0))`;

function exactTypeOf(facts: NumberFacts | undefined): string | null {
  if (facts === undefined || !facts.loses) return null;
  const { plain, whole, behind } = facts;
  if (!plain || whole + behind > 38) return 'VARCHAR';
  return behind === 0 ? 'HUGEINT' : `DECIMAL(${whole + behind}, ${behind})`;
}

function typesOption(types: readonly ColumnType[]): string {
  return `types = {${types.map(([name, type]) => `${quoteText(name)}: ${quoteText(type)}`).join(', ')}}`;
}

/** The header line as it is found without given types, which are a part of the guess. */
async function headerOption(filling: Filling, files: readonly string[]): Promise<string> {
  const [first = ''] = files;
  const [headed] = await filling.column(
    `SELECT HasHeader::VARCHAR FROM sniff_csv(${quoteText(toFilePattern(first))}, ${csvOptionsOf(first)})`,
  );
  return `header = ${headed === 'true'}`;
}
