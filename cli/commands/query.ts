import type { DatabaseChoice } from '../../adapters/node/database/database-choice.ts';
import { SvcError } from '../../src/errors.ts';
import { type JsonObject, type JsonValue, toTextOrJson, tryJson } from '../../src/json.ts';
import type { SqlRequest, SqlResult } from '../../src/ports.ts';
import { type ParameterUse, scanParameters } from '../../src/sql/parameters.ts';
import { classify, misspeltVerb, readonlyProblem, statementsOf } from '../../src/sql/statement.ts';
import type { SqlValue } from '../../src/sql-value.ts';
import { fitsHugeint, isSameDecimal, parseDecimal, toInteger } from '../../src/types/decimal.ts';
import { nearestName } from '../../src/types/nearest.ts';
import type { CommandInput, Run } from '../command.ts';
import { styled } from '../io/output.ts';
import { toText } from '../io/value-text.ts';
import { openBeside } from '../project/open.ts';
import { parseParamOptions, readParamText } from '../project/options.ts';
import { checkSite, databaseOf } from '../project/project.ts';
import { settingsOf } from '../project/settings.ts';

const MAX_ROWS = 10_000;
/** One hour: a person waits for the answer and can press Ctrl-C. */
const TIMEOUT_MS = 3_600_000;

/** `svc query "<sql>"`: runs one statement with named parameters on the profile's database. */
export const run: Run = async (input, output) => {
  const sql = await sqlOf(input);
  const request = toRequest(sql, await parseParamOptions(input.list('param'), parseFile));
  const checked = await checkSite(input);
  const choice = databaseOf(checked);
  if (request.mode === 'write' && choice.readonly) throw readonly(choice, sql);
  const { secrets } = await settingsOf(input, checked);
  const database = await openBeside(
    checked.project.root,
    { ...choice, secrets },
    { output, writes: request.mode === 'write' ? 'kept' : 'refused' },
  );
  try {
    const { signal } = new AbortController();
    const call = { caller: null, signal, timeoutMs: TIMEOUT_MS };
    const result = await database.run(request, call);
    output.data(result.rows, () => toTable(result));
    if (result.truncated)
      output.note(`Only the first ${MAX_ROWS} rows are shown. Add LIMIT or WHERE to the SQL.`);
  } finally {
    await database.close();
  }
  return 0;
};

async function sqlOf(input: CommandInput): Promise<string> {
  const [given] = input.args;
  const file = input.text('file');
  if (given !== undefined && file === undefined) return given;
  if (given === undefined && file !== undefined) return readParamText(file, `--file ${file}`);
  throw new SvcError(
    'usage',
    `svc query takes ${given === undefined ? 'SQL, or --file' : 'either SQL or --file'}.
Write svc query "SELECT 42 AS answer", or svc query --file report.sql.`,
  );
}

function toRequest(sql: string, args: JsonObject): SqlRequest {
  const [first, second] = statementsOf(sql);
  if (first === undefined) throw new SvcError('usage', 'There is no SQL. Write a statement.');
  if (second !== undefined) {
    throw new SvcError(
      'usage',
      'svc query runs one statement, but this is more than one. Run each separately.',
    );
  }
  const verb = misspeltVerb(first.text);
  if (verb !== null) {
    throw new SvcError('usage', `No statement begins with ${verb.word}. Did you mean ${verb.meant}?`);
  }
  const scan = scanParameters(first.text);
  const [problem] = scan.problems;
  if (problem) throw new SvcError('usage', `The SQL cannot be read: ${problem.message}.`);
  checkNames(scan.names, Object.keys(args));
  const { sql: text, order } = scanParameters(castDecimals(first.text, scan.uses, args)).rewrite();
  const values = order.map((name) => toQueryValue(args[name] ?? null));
  return { sql: text, values, mode: classify(text).mode, maxRows: MAX_ROWS };
}

function checkNames(used: readonly string[], given: readonly string[]): void {
  const missing = used.filter((name) => !given.includes(name));
  const extra = given.filter((name) => !used.includes(name));
  if (missing.length + extra.length === 0) return;
  const lines = [
    ...missing.map((name) => `- The SQL uses $${name}: add --param ${name}=<value>.`),
    ...extra.map((name) => {
      const near = nearestName(name, missing);
      return `- The SQL has no $${name}.${near === null ? '' : ` Did you mean ${near}?`}`;
    }),
  ];
  throw new SvcError('usage', `The parameters do not match the SQL:\n${lines.join('\n')}`);
}

function readonly({ path }: DatabaseChoice, sql: string): SvcError {
  return new SvcError(
    'database_readonly',
    `${readonlyProblem(sql, path)}
Set \`readonly: false\` for the database of the profile, or choose another with --profile.`,
  );
}

/** Formats a result; without rows it shows the columns. */
function toTable({ columns, rows }: SqlResult): string {
  const names = columns.map(({ name }) => name);
  if (rows.length > 0) return toText(rows, names);
  const head = names.map((name) => styled('strong', name)).join('  ');
  return `${head}\n${styled('dim', '(0 rows)')}`;
}

/** The JSON of a file stays the text that it is, because JSON values cannot hold exact numbers. */
function parseFile(text: string): string | undefined {
  return tryJson(text) === undefined ? undefined : text.trim();
}

const INTEGER = /^-?[1-9]\d*$|^0$/;
const DECIMAL = /^-?(0|[1-9]\d*)\.\d+$/;
/** The most digits of a DECIMAL. */
const MAX_DIGITS = 38;

/** Returns the type of a text that is a decimal number; null for any other value, and for a number with too many digits. */
function decimalTypeOf(given: JsonValue | undefined): string | null {
  if (typeof given !== 'string' || !DECIMAL.test(given)) return null;
  const [whole = '', fraction = ''] = given.replace('-', '').split('.');
  const digits = whole.length + fraction.length;
  return digits > MAX_DIGITS ? null : `DECIMAL(${digits}, ${fraction.length})`;
}

/** Casts decimal parameters in the SQL, because values that are bound are whole numbers, DOUBLEs or texts. */
function castDecimals(sql: string, uses: readonly ParameterUse[], args: JsonObject): string {
  return uses.reduceRight((text, { name, offset }) => {
    const type = decimalTypeOf(args[name]);
    const end = offset + 1 + name.length;
    return type === null ? text : `${text.slice(0, offset)}CAST($${name} AS ${type})${text.slice(end)}`;
  }, sql);
}

/**
 * Converts a value of `--param` for SQL: whole numbers, true, false and null are recognised, JSON lists and objects become
 * lists and structs, anything else is text.
 */
function toQueryValue(given: JsonValue): SqlValue {
  const text = toTextOrJson(given);
  const isJson = INTEGER.test(text) || /^\s*(true|false|null|".*"|\[.*\]|\{.*\})\s*$/s.test(text);
  return isJson ? fromJson(text) : text;
}

function fromJson(text: string): SqlValue {
  try {
    return parseWithSources(text, toSql);
  } catch {
    return text;
  }
}

/** `parseWithSources` with values of SQL. */
const parseWithSources = JSON.parse as (text: string, revive: typeof toSql) => SqlValue;

function toSql(_key: string, value: unknown, { source = '' }: { readonly source?: string }): SqlValue {
  if (typeof value === 'number') return toSqlNumber(value, source);
  if (Array.isArray(value)) return { list: value };
  if (typeof value === 'object' && value !== null) return { struct: value as { [field: string]: SqlValue } };
  return value as SqlValue;
}

/** Whole numbers keep all their digits. A number that no type holds exactly is its text. */
function toSqlNumber(value: number, source: string): SqlValue {
  const written = parseDecimal(source);
  if (written === null) return source;
  const whole = toInteger(written);
  if (whole !== null) return fitsHugeint(whole) ? whole : source;
  const kept = parseDecimal(String(value));
  return kept !== null && isSameDecimal(kept, written) ? value : source;
}
