import { lexSql } from '../lexer.ts';
import { classify, statementsOf } from '../statement.ts';

/** The views and macros of a database, by their names in lower case; several of one name are in several schemas. */
export interface Definitions {
  /** The statements that made the views. A table with columns that a query computes has an empty text. */
  readonly views: ReadonlyMap<string, readonly string[]>;
  readonly macros: ReadonlySet<string>;
  /** Whether a macro has the name of a function of DuckDB. Operators and other syntax may call it without its name. */
  readonly overridden: boolean;
}

/** Words that read the clock, the caller or chance without brackets, or name what DuckDB says of itself. */
const IMPURE =
  /^(?:current_.*|local(?:time|timestamp)|(?:session_)?user|(?:table)?sample|duckdb_.*|pragma_.*|sqlite_.*|pg_.*|information_schema|sniff_.*|read_.*|glob)$/;

/** The names with which text becomes the time or the day of the conversion, and strings with escapes, which may hide one. */
const SPECIAL_TEXT = /\be'|'\s*(?:now|today|tomorrow|yesterday)\s*'/i;

/**
 * Functions whose value depends on their arguments alone. DuckDB's own catalogue cannot tell: it calls `getvariable` and
 * `current_localtimestamp` consistent. A statement with any other function is not cached.
 */
const PURE_FUNCTIONS: ReadonlySet<string> = new Set(
  `
  abs ceil ceiling floor round trunc sqrt cbrt exp ln log log10 log2 pow power mod sign pi degrees radians sin cos tan cot
  asin acos atan atan2 sinh cosh tanh greatest least gcd lcm even factorial isnan isinf isfinite xor bit_count

  lower upper lcase ucase length len strlen char_length character_length substring substr left right lpad rpad ltrim rtrim
  trim replace reverse concat concat_ws contains starts_with ends_with prefix suffix instr position strpos ascii chr unicode
  ord repeat split split_part string_split str_split string_split_regex str_split_regex regexp_matches regexp_full_match
  regexp_replace regexp_extract regexp_extract_all regexp_split_to_array regexp_escape strip_accents translate format printf
  levenshtein damerau_levenshtein hamming jaccard jaro_similarity jaro_winkler_similarity md5 sha1 sha256 to_base64
  from_base64 base64 hex unhex bin encode decode url_encode url_decode nfc_normalize format_bytes

  date_part datepart date_trunc datetrunc date_diff datediff date_sub datesub date_add year month day hour minute second
  quarter week weekday weekofyear dayofweek dayofmonth dayofyear isodow isoyear yearweek dayname monthname decade century
  epoch epoch_ms epoch_us epoch_ns last_day make_date make_time make_timestamp strftime strptime try_strptime time_bucket
  to_days to_months to_years to_hours to_minutes to_seconds to_weeks to_timestamp

  coalesce ifnull nullif typeof list_value array_value list_contains list_has array_contains array_length list_sort
  array_sort list_reverse list_distinct list_unique list_concat list_aggregate list_aggr list_sum list_avg list_min list_max
  list_filter list_transform list_reduce list_slice list_extract list_element list_position list_append list_prepend flatten
  unnest range generate_series map map_keys map_values map_entries map_extract element_at cardinality struct_pack
  struct_extract row array_to_string string_to_array

  json_extract json_extract_string json_extract_path json_extract_path_text json_value json_exists json_array_length
  json_keys json_type json_contains json_valid to_json json_quote json_object json_array array_to_json row_to_json
  json_merge_patch json_group_array json_group_object

  count sum avg mean min max arg_min arg_max min_by max_by any_value first last arbitrary list array_agg string_agg
  group_concat listagg bool_and bool_or bit_and bit_or bit_xor median mode quantile quantile_cont quantile_disc
  approx_count_distinct stddev stddev_pop stddev_samp variance var_pop var_samp corr covar_pop covar_samp skewness kurtosis
  entropy product favg fsum sumkahan count_if countif count_star mad

  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
`
    .trim()
    .split(/\s+/),
);

/** Words of the grammar and names of types that may stand before a bracket. */
const BEFORE_BRACKETS: ReadonlySet<string> = new Set(
  `
  select from where join on using as in exists any all some values and or not when then else case by having qualify union
  except intersect over filter within order partition distinct limit offset with recursive materialized lateral rollup cube
  grouping sets cast try_cast extract interval between like ilike is asc desc window rows groups exclude replace columns
  decimal numeric varchar char struct map union array
`
    .trim()
    .split(/\s+/),
);

/**
 * Whether the rows of a query depend on nothing but its parameters and on data. Every function and every view that the
 * query uses must be known to be so. In doubt the answer is no.
 *
 * @example isPure('SELECT upper(name) FROM items WHERE id = $1', definitions) // true
 * @example isPure('SELECT now()', definitions) // false
 */
export function isPure(sql: string, definitions: Definitions): boolean {
  return !definitions.overridden && isPureQuery(sql, definitions, new Set());
}

function isPureQuery(sql: string, definitions: Definitions, seen: Set<string>): boolean {
  const { views, macros } = definitions;
  const { mode, operation } = classify(sql);
  if (
    statementsOf(sql).length !== 1 ||
    mode !== 'read' ||
    !(operation === 'SELECT' || operation === 'VALUES')
  )
    return false;
  if (SPECIAL_TEXT.test(sql)) return false;
  const words = wordsOf(sql);
  if (words.some(({ name }) => IMPURE.test(name) || macros.has(name))) return false;
  const called = words.filter(({ bracket }) => bracket);
  if (!called.every(({ name }) => PURE_FUNCTIONS.has(name) || BEFORE_BRACKETS.has(name))) return false;
  const used = words.map(({ name }) => name).filter((name) => views.has(name) && !seen.has(name));
  return used.every((name) => {
    seen.add(name);
    return views.get(name)?.every((view) => isPureQuery(toQuery(view), definitions, seen)) ?? false;
  });
}

/** The query of `CREATE VIEW name (columns) AS query;`. */
function toQuery(view: string): string {
  const as = lexSql(view).tokens.find(
    ({ kind, start, end }) => kind === 'word' && /^as$/i.test(view.slice(start, end)),
  );
  return as === undefined ? '' : view.slice(as.end);
}

/** A word, a quoted name or a string in lower case, and whether a bracket follows it. `FROM 'items'` names a table. */
interface Word {
  readonly name: string;
  readonly bracket: boolean;
}

function wordsOf(sql: string): readonly Word[] {
  const tokens = lexSql(sql).tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment');
  return tokens.flatMap(({ kind, start, end }, at) => {
    if (kind !== 'word' && kind !== 'quoted' && kind !== 'string') return [];
    const name = nameOf(kind, sql.slice(start, end));
    const next = tokens[at + 1];
    return [{ name: name.toLowerCase(), bracket: next !== undefined && sql[next.start] === '(' }];
  });
}

function nameOf(kind: 'word' | 'quoted' | 'string', text: string): string {
  if (kind === 'word') return text;
  if (kind === 'quoted') return text.slice(1, -1).replaceAll('""', '"');
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  const tag = text.indexOf('$', 1) + 1;
  return text.slice(tag, -tag);
}
