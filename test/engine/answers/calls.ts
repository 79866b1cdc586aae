import { samplesOf } from './samples.ts';

/** One overload of a function, as `duckdb_functions()` lists it. */
export interface Overload {
  readonly name: string;
  readonly kind: 'scalar' | 'aggregate' | 'macro' | 'table' | 'table_macro' | 'pragma';
  readonly parameters: readonly string[];
  /** The type of further arguments; empty where it takes none. */
  readonly rest: string;
}

/** What a native engine is asked for its overloads. */
export const OVERLOADS = `SELECT DISTINCT function_name AS name, function_type AS kind, [coalesce(each, 'ANY') FOR each IN parameter_types] AS parameters,
  coalesce(varargs, '') AS rest FROM duckdb_functions()
WHERE function_type IN ('scalar', 'aggregate', 'macro', 'table') AND schema_name IN ('main', 'pg_catalog')
ORDER BY ALL`;

/** Functions whose answers cannot be the same on two engines, each group with the reason. */
const LEFT_OUT: readonly (readonly [RegExp, string])[] = [
  [/^(random|setseed|uuid|uuidv4|uuidv7|gen_random_uuid)$/, 'chance'],
  [
    /^(now|today|get_current_.*|current_(date|time|timestamp|local.*)|transaction_timestamp|ago|write_log)$/,
    'the time of the call',
  ],
  [
    /^(txid_current|pg_.*|current_(query|connection_id|transaction_id).*|nextval|currval)$/,
    'the state of a connection',
  ],
  [/^(current_setting|getenv|getvariable|which_secret|parse_duckdb_log_message)$/, 'the configuration'],
  [
    /^(version|in_search_path|current_schemas?|current_database|current_catalog|current_user|current_role|user|session_user)$/,
    'names',
  ],
  [/^(sleep_ms|query|query_table|json_execute_serialized_sql|(force_)?checkpoint)$/, 'refused by name'],
  [
    /^(duckdb_.*|pragma_.*|read_.*|parquet_.*|sniff_csv|glob|seq_scan|arrow_scan.*|.*able_(logging|profiling|peg_parser)|truncate_duckdb_logs|vector_type|icu_calendar_names|test_.*|summary)$/,
    'the system, or files',
  ],
];

/** Whether a function's calls are not compared. */
export function isLeftOut(name: string): boolean {
  return LEFT_OUT.some(([pattern]) => pattern.test(name));
}

/** Functions of tables that read nothing but their arguments. */
const SERIES = /^(range|generate_series|repeat|repeat_row|unnest)$/;

const MOST_SIZED = 1_000_000;
/** Functions whose integer argument says how large the answer is: extremes there only run out of memory. */
const SIZED =
  /^(repeat|lpad|rpad|range|generate_series|repeat_row|bar|list_resize|array_resize|bitstring|format_bytes_pad)$/;

/** The calls of an overload: all arguments ordinary, then each argument extreme while the others are ordinary. */
export function callsOf({ name, kind, parameters, rest }: Overload): readonly string[] {
  // Of one argument it is the time until now.
  if (name === 'age' && parameters.length === 1) return [];
  if (isLeftOut(name) || (kind === 'table' && !SERIES.test(name))) return [];
  const types = [...parameters, ...(rest ? [rest, rest] : [])];
  const samples = types.map((type) => samplesFor(name, type));
  const ordinary = samples.map(([first = 'NULL']) => first);
  const varied = samples.flatMap((each, index) =>
    each.slice(1).map((sample) => ordinary.with(index, sample)),
  );
  const fewer = rest ? [ordinary.slice(0, parameters.length)] : [];
  const calls = [ordinary, ...varied, ...fewer];
  return calls.flatMap((args) => statementsOf(name, kind, args));
}

function samplesFor(name: string, type: string): readonly string[] {
  const samples = samplesOf(type);
  if (!SIZED.test(name)) return samples;
  return samples.filter(
    (sample) => !/ \(BC\)/.test(sample) && !(Number(/\d{6,}/.exec(sample)?.[0] ?? 0) > MOST_SIZED),
  );
}

function statementsOf(name: string, kind: Overload['kind'], args: readonly string[]): readonly string[] {
  if (kind === 'table') return [`SELECT * FROM ${called(name, args)} LIMIT 100`];
  if (kind !== 'aggregate') return [`SELECT ${called(name, args)} AS v`];
  return aggregateOf(name, args);
}

/** Functions that DuckDB lists among aggregates, and that need a window. */
const WINDOW =
  /^(row_number|rank|dense_rank|rank_dense|percent_rank|cume_dist|ntile|lag|lead|first_value|last_value|nth_value|fill)$/;

/** The same arguments in three rows, with a row of NULL between. */
function aggregateOf(name: string, args: readonly string[]): readonly string[] {
  const columns = args.map((_, index) => `a${index}`);
  const rows = args.length === 0 ? 'VALUES (1), (2), (3)' : rowsOf(args);
  const over = WINDOW.test(name) ? ' OVER (ORDER BY n)' : '';
  const from = `FROM (SELECT row_number() OVER () AS n, * FROM (${rows}) AS r(${columns.join(', ') || 'a0'})) AS t`;
  // A quantile, a separator and the like must be constant.
  const constant = [...columns.slice(0, 1), ...args.slice(1)];
  return args.length > 1 && over === ''
    ? [`SELECT ${called(name, columns)} AS v ${from}`, `SELECT ${called(name, constant)} AS v ${from}`]
    : [`SELECT ${called(name, columns)}${over} AS v ${from}`];
}

function rowsOf(args: readonly string[]): string {
  const nothing = args.map(() => 'NULL').join(', ');
  return `SELECT ${args.join(', ')} UNION ALL SELECT ${nothing} UNION ALL SELECT ${args.join(', ')}`;
}

/** Operators stand between their arguments; any other name is quoted, as some are words of the grammar. */
function called(name: string, args: readonly string[]): string {
  if (/\w/.test(name)) return `"${name}"(${args.join(', ')})`;
  if (args.length === 2) return `(${args[0]}) ${name} (${args[1]})`;
  return args.length === 1
    ? name === '!'
      ? `(${args[0]}) !`
      : `${name} (${args[0]})`
    : `"${name}"(${args.join(', ')})`;
}
