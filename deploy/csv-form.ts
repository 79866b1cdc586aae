import type { Filling } from '../adapters/duckdb-native/files/database-file.ts';
import { SvcError } from '../src/errors.ts';
import { quoteText, toFilePattern } from '../src/sql/quote.ts';

/** A column of a file, and the type that DuckDB takes it for. */
export type FileColumn = readonly [name: string, type: string];

/** The form of a CSV or TSV file as DuckDB guesses it. */
export interface CsvForm {
  readonly file: string;
  readonly headed: boolean;
  readonly columns: readonly FileColumn[];
  /** Options that hold DuckDB to its first guess; empty if a look at the whole file leads to the same. */
  readonly dialect: readonly string[];
  /** Options with which DuckDB need not guess how texts are written. */
  readonly known: readonly string[];
}

/** The guess of `sniff_csv`. */
interface Guess {
  readonly skipped: number;
  readonly headed: boolean;
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly delim: string;
  /** The text `(empty)` if no value is in quotes. */
  readonly quote: string;
  readonly escaped: string;
}

const REPAIR = 'Give each line as many values as the header, and delete lines that are no data.';

/** DuckDB's own errors list settings that cannot be changed here. */
export const UNEVEN = `the lines differ in their number of values, or a quote has no end. ${REPAIR}`;

/** The delimiter of a TSV file is known. */
export function delimiterOf(file: string): readonly string[] {
  return /\.tsv(?:\.gz)?$/i.test(file) ? ["delim = '\t'"] : [];
}

/**
 * Reads the form of a file. Throws project_invalid for one whose lines differ in their number of values: DuckDB would leave
 * out the first lines, with the header, or take each line for one value.
 */
export async function readForm(filling: Filling, file: string): Promise<CsvForm> {
  const early = await guessOf(filling, file, []);
  const guess = await guessOf(filling, file, ['sample_size = -1']).catch((thrown) =>
    lineError(filling, early, file, thrown),
  );
  const { skipped, headed, names, types } = guess;
  const [first = ''] = names;
  // Excel writes the delimiter there for itself.
  if (first === 'sep=') throw new SvcError('project_invalid', 'line 1 is `sep=`, and no header. Delete it.');
  if (skipped > 0 && !headed) {
    const lines = skipped === 1 ? 'line 1 has' : `lines 1 to ${skipped} have`;
    throw new SvcError(
      'project_invalid',
      `${lines} another number of values than the lines after, and would be left out. ${REPAIR}`,
    );
  }
  if (names.length === 1) await refuseOneValue(filling, file, first);
  const columns = names.map((name, index) => [name, types[index] ?? 'VARCHAR'] as const);
  const dialect = dialectOf(early, guess);
  return { file, headed, columns, dialect, known: dialect.length > 0 ? dialect : optionsOf(guess) };
}

/** Throws DuckDB's error for a file that has no form as a whole. Held to the guess of the first lines, it names the line. */
async function lineError(filling: Filling, early: Guess, file: string, thrown: unknown): Promise<never> {
  const options = optionsOf(early).join(', ');
  await filling.column(`SELECT count(*) FROM (FROM read_csv(${quoteText(toFilePattern(file))}, ${options}))`);
  throw thrown;
}

async function guessOf(filling: Filling, file: string, options: readonly string[]): Promise<Guess> {
  const [text = '{}'] = await filling.column(
    `SELECT json_object('skipped', SkipRows, 'headed', HasHeader, 'delim', Delimiter, 'quote', Quote, 'escaped', Escape,
      'names', list_transform(Columns, lambda c: c.name), 'types', list_transform(Columns, lambda c: c.type))
      FROM sniff_csv(${[quoteText(toFilePattern(file)), ...delimiterOf(file), ...options].join(', ')})`,
  );
  return JSON.parse(text);
}

/**
 * A line that breaks the form late in the file would change the guess for all lines, such as a quote without an end: each
 * value would keep its quotes. Held to the guess of the first lines, DuckDB names the line that breaks it.
 */
function dialectOf(early: Guess, whole: Guess): readonly string[] {
  const isSame = early.delim === whole.delim && (early.quote === whole.quote || !isQuote(early.quote));
  if (isSame) return [];
  return [
    `delim = ${quoteText(early.delim)}`,
    ...(isQuote(early.quote) ? [`quote = ${quoteText(early.quote)}`] : []),
  ];
}

function optionsOf({ delim, quote, escaped, skipped }: Guess): readonly string[] {
  const one = (text: string) => quoteText(isQuote(text) ? text : '');
  return [
    `delim = ${quoteText(delim)}`,
    `quote = ${one(quote)}`,
    `escape = ${one(escaped)}`,
    `skip = ${skipped}`,
  ];
}

function isQuote(quote: string): boolean {
  return quote.length === 1;
}

/** Refuses a file of one column whose lines have a delimiter, so that each line would be one value. */
async function refuseOneValue(filling: Filling, file: string, name: string): Promise<void> {
  const [delimiter] = /[,;\t|]/.exec(name) ?? [];
  if (delimiter === undefined) return;
  const [split = '0'] = await filling.column(
    `SELECT count(*) FROM (FROM read_csv(${[quoteText(toFilePattern(file)), ...delimiterOf(file)].join(', ')}) LIMIT 1000) t(line)
      WHERE contains(line::VARCHAR, $1)`,
    [delimiter],
  );
  if (split === '0') return;
  throw new SvcError(
    'project_invalid',
    `the lines differ in their number of values, so each would be one value of the column \`${name}\`. ${REPAIR}`,
  );
}
