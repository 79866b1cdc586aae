import { stat } from 'node:fs/promises';
import type { Filling } from '../adapters/duckdb-native/files/database-file.ts';
import { SvcError } from '../src/errors.ts';
import { quoteFiles, quoteName, quoteText } from '../src/sql/quote.ts';
import { type CsvForm, delimiterOf, type FileColumn, readForm } from './csv-form.ts';

/**
 * DuckDB decides the type of a column from the first 20,480 rows and the first files unless it reads all of them. It would
 * then round `19.99` to 20, or cut the time off a date, without an error.
 */
const READS_ALL = 'sample_size = -1';
const ALL_FILES = `${READS_ALL}, maximum_sample_files = ${2 ** 31 - 1}`;

/** The reader of a format, by the extension. */
const READERS: { readonly [extension: string]: (files: readonly string[]) => string } = {
  json: (files) => reader('read_json', files, [ALL_FILES]),
  jsonl: (files) => reader('read_json', files, [ALL_FILES, "format = 'newline_delimited'"]),
  ndjson: (files) => reader('read_json', files, [ALL_FILES, "format = 'newline_delimited'"]),
  parquet: (files) => reader('read_parquet', files, []),
};
const FORMATS = ['csv', 'tsv', ...Object.keys(READERS)];

/**
 * The SQL that reads files of one format as one table with the columns of all of them. Throws usage for unknown or mixed
 * formats, and project_invalid for lines of a CSV file that DuckDB would take for something else.
 *
 *     await tableReaderOf(filling, ['a.parquet']) // read_parquet(['a.parquet'])
 */
export async function tableReaderOf(filling: Filling, files: readonly string[]): Promise<string> {
  const [format = '', ...others] = [...new Set(files.map(formatOf))];
  if (!FORMATS.includes(format) || others.length > 0) throw formatError(others.length > 0);
  return READERS[format]?.(files) ?? csvReaderOf(filling, files);
}

function reader(name: string, files: readonly string[], options: readonly string[]): string {
  const all = [quoteFiles(files), ...options, ...(files.length > 1 ? ['union_by_name = true'] : [])];
  return `${name}(${all.join(', ')})`;
}

/** The file's extension without `.gz`. */
function formatOf(file: string): string {
  return /\.(\w+?)(?:\.gz)?$/i.exec(file)?.[1]?.toLowerCase() ?? '';
}

function formatError(mixed: boolean): SvcError {
  const what = mixed
    ? 'The files of one table must have the same format'
    : 'The file extension names no known format';
  return new SvcError('usage', `${what}. Known formats: ${FORMATS.join(', ')}; text formats also with .gz`);
}

async function csvReaderOf(filling: Filling, files: readonly string[]): Promise<string> {
  const forms: CsvForm[] = [];
  for (const file of files) if ((await stat(file)).size > 0) forms.push(await readForm(filling, file));
  const [first] = forms;
  if (first === undefined) return reader('read_csv', files, [READS_ALL]);
  refuseOtherColumns(forms, first);
  const [dialect = delimiterOf(first.file)] = forms.flatMap((form) =>
    form.dialect.length > 0 ? [form.dialect] : [],
  );
  // With given types, DuckDB could take the header for a row.
  const header = `header = ${first.headed}`;
  const filled = forms.map(({ file }) => file);
  const common = await commonTypes(filling, forms);
  const doubles = doublesOf(forms, common);
  const known = new Set(forms.map((form) => form.known.join()));
  const texts = reader('read_csv', filled, [
    'all_varchar = true',
    header,
    ...(known.size === 1 ? first.known : [READS_ALL, ...dialect]),
  ]);
  const types = withTypes(common, await exactTypes(filling, texts, doubles));
  const given = types.length === 0 ? [] : [header, typesOption(types)];
  return reader('read_csv', filled, [READS_ALL, ...dialect, ...given]);
}

/** The columns that become DOUBLE. */
function doublesOf(forms: readonly CsvForm[], common: readonly FileColumn[]): readonly string[] {
  const types = withTypes(
    forms.flatMap(({ columns }) => columns),
    common,
  );
  return types.flatMap(([name, type]) => (type === 'DOUBLE' ? [name] : []));
}

/** The types, with others for some columns. */
function withTypes(types: readonly FileColumn[], others: readonly FileColumn[]): readonly FileColumn[] {
  // Names that differ in upper and lower case only are one column.
  return [...new Map([...types, ...others].map((one) => [one[0].toLowerCase(), one])).values()];
}

/** A file without a header line, or with other columns, would not add rows, but columns with NULLs in all others. */
function refuseOtherColumns(forms: readonly CsvForm[], first: CsvForm): void {
  const bare = forms.find(({ headed }) => !headed);
  if (bare !== undefined && forms.some(({ headed }) => headed)) {
    throw new SvcError(
      'project_invalid',
      `line 1 of ${bare.file} is no header line, because each of its values could stand in the lines below. Other files of the table have one.`,
    );
  }
  const names = new Set(first.columns.map(([name]) => name.toLowerCase()));
  const other = forms.find(({ columns }) => columns.every(([name]) => !names.has(name.toLowerCase())));
  if (other === undefined) return;
  throw new SvcError(
    'project_invalid',
    `${other.file} has no column of ${first.file}. Write the same header line in all files of a table.`,
  );
}

/** The types of columns that several files have in different types. DuckDB would make NULL of some values. */
async function commonTypes(filling: Filling, forms: readonly CsvForm[]): Promise<readonly FileColumn[]> {
  const found = forms.flatMap((form) => form.columns.map(([name, type]) => ({ form, name, type })));
  const columns = Map.groupBy(found, ({ name }) => name.toLowerCase());
  const common: FileColumn[] = [];
  for (const parts of columns.values()) {
    const [first] = parts;
    if (first === undefined || parts.every(({ type }) => type === first.type)) continue;
    const types = new Set<string>();
    for (const { form, name, type } of parts) {
      // A column without a value counts as text.
      if (type !== 'VARCHAR' || (await hasValue(filling, form, name))) types.add(type);
    }
    common.push([first.name, commonType(types)]);
  }
  return common;
}

async function hasValue(filling: Filling, { file, dialect }: CsvForm, column: string): Promise<boolean> {
  const options = [READS_ALL, ...(dialect.length > 0 ? dialect : delimiterOf(file))];
  const [values] = await filling.column(
    `SELECT count(${quoteName(column)}) FROM ${reader('read_csv', [file], options)}`,
  );
  return values !== '0';
}

/** Groups of types; the last of each has room for every value of the others. */
const WIDER = [
  ['BIGINT', 'DOUBLE'],
  ['DATE', 'TIMESTAMP'],
];

function commonType(types: ReadonlySet<string>): string {
  const [only = 'VARCHAR', ...others] = types;
  if (others.length === 0) return only;
  return WIDER.find((group) => [...types].every((type) => group.includes(type)))?.at(-1) ?? 'VARCHAR';
}

/**
 * The types of columns that would lose digits. DuckDB reads whole numbers beyond 64 bits and all decimals as DOUBLE, which
 * makes one number of two long ids or amounts.
 */
async function exactTypes(
  filling: Filling,
  texts: string,
  columns: readonly string[],
): Promise<readonly FileColumn[]> {
  const types: FileColumn[] = [];
  for (let at = 0; at < columns.length; at += COLUMNS_AT_ONCE) {
    const some = columns.slice(at, at + COLUMNS_AT_ONCE);
    const facts = some.map((name) => FACTS.replaceAll('$column', () => quoteName(name)));
    const [told = '[]'] = await filling.column(`SELECT json_array(${facts.join(', ')}) FROM ${texts}`);
    const found: readonly NumberFacts[] = JSON.parse(told);
    for (const [index, name] of some.entries()) {
      const type = exactTypeOf(found[index]);
      if (type !== null) types.push([name, type]);
    }
  }
  return types;
}

/** DuckDB plans a statement with thousands of columns for minutes. */
const COLUMNS_AT_ONCE = 100;

/** Facts about all texts of a column of numbers. */
interface NumberFacts {
  /** Whether a DOUBLE is another number than one of the texts, before or just behind its decimal point. */
  readonly loses: boolean;
  /** Whether each text is a number without an exponent. */
  readonly plain: boolean;
  /** The most digits before and behind the decimal point. */
  readonly whole: number;
  readonly behind: number;
}

/**
 * A DOUBLE keeps each whole number of 15 digits. Longer ones are compared with two digits behind the decimal point, and no
 * others, because these casts are slow.
 */
const FACTS = `json_object(
  'loses', coalesce(bool_or(CASE WHEN regexp_matches(trim($column), '^[-+]?0*[1-9]\\d{15}') THEN length($column) > 36
    OR TRY_CAST(TRY_CAST($column AS DOUBLE) AS DECIMAL(38, 2)) IS DISTINCT FROM TRY_CAST($column AS DECIMAL(38, 2)) END), false),
  'plain', coalesce(bool_and(regexp_full_match(trim($column), '[-+]?\\d+(\\.\\d*)?')), false),
  'whole', coalesce(max(length(regexp_extract(trim($column), '^[-+]?0*(\\d+)', 1))), 0),
  'behind', coalesce(max(length(regexp_extract($column, '\\.(\\d+)', 1))), 0))`;

function exactTypeOf(facts: NumberFacts | undefined): string | null {
  if (facts === undefined || !facts.loses) return null;
  const { plain, whole, behind } = facts;
  if (!plain || whole + behind > 38) return 'VARCHAR';
  return behind === 0 ? 'HUGEINT' : `DECIMAL(${whole + behind}, ${behind})`;
}

function typesOption(types: readonly FileColumn[]): string {
  return `types = {${types.map(([name, type]) => `${quoteText(name)}: ${quoteText(type)}`).join(', ')}}`;
}
