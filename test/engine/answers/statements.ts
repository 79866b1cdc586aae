import { TYPED } from './samples.ts';

/** The tables that the statements ask: small, with NULL, ties, gaps and instants around changes of the clock. */
export const TABLES = `
CREATE TABLE customers AS SELECT i::INTEGER AS id, 'customer ' || (i % 7) AS name,
  CASE WHEN i % 5 = 0 THEN NULL ELSE ['CH', 'DE', 'FR'][1 + i % 3] END AS country FROM range(1, 31) t(i);
CREATE TABLE orders AS SELECT i::INTEGER AS id, CASE WHEN i % 11 = 0 THEN NULL ELSE (i * 7) % 35 END::INTEGER AS customer,
  ((i * 37) % 1000 / 8)::DECIMAL(10,2) AS amount, TIMESTAMP '2024-03-29 20:00:00' + to_hours(i * 5 % 97) AS at,
  CASE WHEN i % 13 = 0 THEN NULL ELSE ['new', 'paid', 'sent'][1 + i % 3] END AS state FROM range(1, 121) t(i);
CREATE TABLE prices AS SELECT TIMESTAMP '2024-03-29 18:00:00' + to_hours(i * 9) AS since, 10 + i AS price,
  ['CH', 'DE', 'FR'][1 + i % 3] AS country FROM range(12) t(i);
CREATE TABLE nested AS SELECT i::INTEGER AS id, CASE WHEN i % 4 = 0 THEN NULL ELSE range(i % 6) END AS list,
  {'a': i, 'b': {'c': 'x' || i}} AS item, MAP {'k' || i % 3: i, 'z': NULL} AS map,
  ('{"n": ' || i || ', "tags": ["a", ' || i % 3 || ']}')::JSON AS doc FROM range(20) t(i);
CREATE TABLE instants AS SELECT TIMESTAMPTZ '2024-03-30 22:30:00+00' + to_minutes(i * 47) AS at, i::INTEGER AS id FROM range(60) t(i);
CREATE TABLE tree AS SELECT i::INTEGER AS id, CASE WHEN i = 1 THEN NULL ELSE i // 2 END::INTEGER AS parent FROM range(1, 40) t(i);
CREATE TABLE few (v INTEGER); INSERT INTO few VALUES (50), (50), (NULL), (-3), (7);
`;

type Choices = readonly string[];

/** Every combination of the words, in a template with as many holes: `{0}`, `{1}` ... */
function each(template: string, ...words: readonly Choices[]): readonly string[] {
  return words.reduce<readonly string[]>(
    (made, choices, index) =>
      made.flatMap((text) => choices.map((choice) => text.replaceAll(`{${index}}`, choice))),
    [template],
  );
}

const JOINS = [
  ...each(
    'SELECT c.id, c.country, o.id AS o, o.amount FROM customers c {0} JOIN orders o ON {1} ORDER BY ALL',
    ['INNER', 'LEFT', 'RIGHT', 'FULL'],
    [
      'c.id = o.customer',
      'c.id = o.customer AND o.amount > 50',
      'c.id < o.customer AND o.id < 20',
      'c.id IS NOT DISTINCT FROM o.customer',
      'c.id BETWEEN o.customer AND o.customer + 2',
      "c.id = o.customer OR c.country = 'CH' AND o.id = 5",
    ],
  ),
  ...each(
    'SELECT * FROM customers c {0} JOIN orders o ON {1} ORDER BY ALL',
    ['SEMI', 'ANTI'],
    ['c.id = o.customer', 'c.id = o.customer AND o.amount > 90', 'c.id < o.customer', 'o.customer IS NULL'],
  ),
  ...each(
    'SELECT o.id, o.at, p.price FROM orders o ASOF {0} JOIN prices p ON o.at {1} p.since{2} ORDER BY ALL',
    ['', 'LEFT', 'RIGHT', 'FULL'],
    ['>=', '>', '<=', '<'],
    ['', " AND p.country = ['CH', 'DE', 'FR'][1 + o.id % 3]"],
  ),
  ...each(
    'SELECT o.id FROM orders o ASOF {0} JOIN prices p ON o.at {1} p.since ORDER BY ALL',
    ['SEMI', 'ANTI'],
    ['>=', '>', '<=', '<'],
  ),
  ...each(
    'SELECT * FROM (FROM customers ORDER BY id) a {0} JOIN (SELECT id + 1 AS id, state FROM orders WHERE id < 9) b {1} ORDER BY ALL',
    ['NATURAL', 'NATURAL LEFT', 'NATURAL FULL'],
    [''],
  ),
  ...each('SELECT * FROM customers {0} JOIN orders USING (id) ORDER BY ALL', [
    'INNER',
    'LEFT',
    'FULL',
    'SEMI',
    'ANTI',
  ]),
  ...each('SELECT a.v, b.v FROM few a {0} few b ORDER BY ALL', ['CROSS JOIN', 'POSITIONAL JOIN', ',']),
  ...each(
    'SELECT c.id, x.n FROM customers c{0} (SELECT {1} AS n FROM orders o WHERE o.customer = c.id) x{2} ORDER BY ALL',
    [', LATERAL', ' LEFT JOIN LATERAL'],
    ['count(*)', 'max(o.amount)', "string_agg(o.state, ',' ORDER BY o.id)", 'list(o.id ORDER BY o.id)'],
    [' ON true'],
  ).map((sql) => (sql.includes(', LATERAL') ? sql.replace(' ON true', '') : sql)),
  ...each('SELECT id, {0} FROM customers c ORDER BY ALL', [
    '(SELECT sum(amount) FROM orders WHERE customer = c.id)',
    'EXISTS (FROM orders WHERE customer = c.id AND amount > 100)',
    'id IN (SELECT customer FROM orders)',
    'id NOT IN (SELECT customer FROM orders)',
    'id NOT IN (SELECT customer FROM orders WHERE customer IS NOT NULL)',
    'id > ALL (SELECT v FROM few WHERE v IS NOT NULL)',
    'id = ANY (SELECT v FROM few)',
    'ARRAY(SELECT o.id FROM orders o WHERE o.customer = c.id ORDER BY 1)',
  ]),
];

const FRAMES = [
  '',
  'ROWS UNBOUNDED PRECEDING',
  'ROWS BETWEEN 2 PRECEDING AND CURRENT ROW',
  'ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING',
  'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW',
  'ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE TIES',
  'RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING',
  'RANGE UNBOUNDED PRECEDING EXCLUDE GROUP',
  'GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING',
];

const WINDOWS = [
  ...each(
    'SELECT id, {0} OVER ({1}ORDER BY amount, id {2}) AS w FROM orders ORDER BY id',
    [
      'sum(amount)',
      'count(*)',
      'avg(amount)',
      'first_value(state)',
      'last_value(state IGNORE NULLS)',
      'list(id)',
      'median(amount)',
    ],
    ['', 'PARTITION BY state '],
    FRAMES.filter((frame) => !/RANGE B/.test(frame)),
  ),
  ...each(
    'SELECT id, {0} OVER (PARTITION BY customer ORDER BY id {1}) AS w FROM orders ORDER BY id',
    ['sum(amount)', 'min(amount)', 'nth_value(id, 2)'],
    FRAMES,
  ),
  ...each(
    'SELECT id, {0} OVER ({1}ORDER BY state NULLS {2}, id) AS w FROM orders ORDER BY id',
    [
      'row_number()',
      'rank()',
      'dense_rank()',
      'percent_rank()',
      'cume_dist()',
      'ntile(7)',
      'lag(id)',
      'lead(id, 3, -1)',
      'lag(state, 2)',
    ],
    ['', 'PARTITION BY customer % 3 '],
    ['FIRST', 'LAST'],
  ),
  ...each(
    'SELECT v, {0} OVER ({1}) AS w FROM few ORDER BY ALL',
    ['sum(v)', 'count(v)', 'max(v)', 'count(DISTINCT v)', 'sum(v) FILTER (v > 0)'],
    [
      '',
      'ORDER BY v',
      'ORDER BY v RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING',
      'ORDER BY v GROUPS CURRENT ROW',
      'PARTITION BY v',
    ],
  ),
  ...each('SELECT sum(v) OVER ({0}) FROM (SELECT 50 AS v UNION ALL SELECT 50)', [
    'ROWS UNBOUNDED PRECEDING',
    'ROWS CURRENT ROW',
    'ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
  ]),
  ...each(
    'SELECT id, at, count(*) OVER (ORDER BY at RANGE BETWEEN {0} PRECEDING AND CURRENT ROW) AS n FROM {1} ORDER BY ALL',
    ["INTERVAL '1 day'", "INTERVAL '90 minutes'", "INTERVAL '1 month'"],
    ['orders', 'instants'],
  ),
  ...each('SELECT id, state, amount FROM orders QUALIFY {0} ORDER BY ALL', [
    'row_number() OVER (PARTITION BY state ORDER BY amount, id) <= 2',
    'amount = max(amount) OVER (PARTITION BY customer)',
    'rank() OVER (ORDER BY state) = 1',
  ]),
];

const SETS = each(
  '{0} {1} {2} ORDER BY ALL',
  ['SELECT v FROM few', 'SELECT customer AS v FROM orders', 'SELECT unnest([1, 1, NULL, 50]) AS v'],
  [
    'UNION',
    'UNION ALL',
    'INTERSECT',
    'INTERSECT ALL',
    'EXCEPT',
    'EXCEPT ALL',
    'UNION BY NAME',
    'UNION ALL BY NAME',
  ],
  ['SELECT v FROM few', 'SELECT id AS v FROM customers', 'SELECT NULL AS v'],
);

const AGGREGATES = [
  ...each(
    'SELECT {1}, {0} AS v FROM orders GROUP BY {2} ORDER BY ALL',
    [
      'count(*)',
      'sum(amount)',
      'avg(amount)',
      'stddev(amount)',
      'quantile_cont(amount, 0.3)',
      'quantile_disc(amount, [0.1, 0.9])',
      'mode(state)',
      "string_agg(state, '|' ORDER BY id)",
      'list(DISTINCT customer ORDER BY customer)',
      'arg_max(id, amount)',
      'max(id, 3)',
      'histogram(state)',
      'bit_xor(id)',
      'count(DISTINCT customer)',
      "count(*) FILTER (state = 'paid')",
      'entropy(state)',
      'first(state ORDER BY id DESC)',
    ],
    ['state'],
    ['state', 'ROLLUP (state)', 'GROUPING SETS ((state), ())'],
  ),
  ...each(
    'SELECT state, customer % 4 AS c, {1}, {0} FROM orders GROUP BY {2} ORDER BY ALL',
    ['sum(amount)', 'count(customer)'],
    ['grouping(state, c)'],
    ['CUBE (state, c)', 'ROLLUP (state, c)', 'GROUPING SETS ((state, c), (state), ())'],
  ),
  ...each('SELECT DISTINCT ON ({0}) id, state, customer FROM orders ORDER BY {0}, id', [
    'state',
    'customer',
    'customer % 3',
  ]),
  ...each('SELECT {0} FROM orders', [
    'corr(amount, id)',
    'regr_slope(amount, id)',
    'covar_pop(amount, id)',
    'kurtosis(amount)',
    'skewness(amount)',
    'approx_count_distinct(customer)',
    'approx_quantile(amount, 0.5)',
    'mad(amount)',
    'favg(amount)',
    'product(1 + id / 1000)',
    'bitstring_agg(id)',
    'approx_top_k(state, 2)',
    'geomean(amount + 1)',
    'sem(amount)',
    'weighted_avg(amount, id)',
  ]),
];

const PIVOTS = [
  ...each(
    "PIVOT orders ON state IN ('new', 'paid', 'sent') USING {0} GROUP BY {1} ORDER BY ALL",
    ['sum(amount)', 'count(*)', 'max(id) AS m, min(id) AS n', 'list(id ORDER BY id)'],
    ['customer % 5', 'at::DATE'],
  ),
  ...each(
    'UNPIVOT (SELECT id, {0} FROM orders WHERE id < 20) ON {1} INTO NAME n VALUE v ORDER BY ALL',
    ['amount::DOUBLE AS a, customer::DOUBLE AS c'],
    ['a, c', 'COLUMNS(* EXCLUDE (id))', '(a, c) AS both'],
  ),
  ...each(
    'SELECT * FROM (SELECT state, amount FROM orders) PIVOT ({0} FOR state IN ({1})) ORDER BY ALL',
    ['sum(amount)', 'count(*)'],
    ["'new', 'sent'", "'new' AS a, NULL AS b"],
  ),
];

const RECURSION = [
  ...each(
    'WITH RECURSIVE r(n, m) AS (SELECT 1, {0} UNION{1} SELECT n + 1, {2} FROM r WHERE n < {3}) FROM r ORDER BY ALL',
    ['1::HUGEINT'],
    ['', ' ALL'],
    ['m * 2', 'm + n', '(m * 7) % 5'],
    ['5', '40'],
  ),
  ...each(
    'WITH RECURSIVE p AS (SELECT id, {0} AS v FROM tree WHERE parent IS NULL UNION ALL SELECT t.id, {1} FROM tree t JOIN p ON t.parent = p.id) FROM p ORDER BY ALL',
    ['id::VARCHAR', '[id]'],
    ['p.v || t.id', 'list_append(p.v, t.id)'],
  ).filter((sql) => sql.includes('[id]') === sql.includes('list_append')),
  'WITH RECURSIVE r(a, b) USING KEY (a) AS (SELECT 1, 1 UNION SELECT a % 3 + 1, b + 1 FROM r WHERE b < 20) FROM r ORDER BY ALL',
  ...each(
    'WITH a AS {0} (SELECT * FROM few), b AS (FROM a WHERE v > 0) SELECT a.v, b.v FROM a, b ORDER BY ALL',
    ['', 'MATERIALIZED', 'NOT MATERIALIZED'],
  ),
];

const NESTED = [
  ...each('SELECT id, {0} AS v FROM nested ORDER BY ALL', [
    'list',
    'list[2:]',
    'list[-1]',
    'list[3:1:-1]',
    'len(list)',
    '[x * 2 FOR x IN list IF x % 2 = 0]',
    'list_transform(list, lambda x, i: x + i)',
    'list_filter(list, lambda x: x > 1)',
    'list_reduce(list, lambda a, b: a * 10 + b)',
    "list_sort(list, 'DESC')",
    'list_zip(list, [1, 2])',
    'flatten([list, [9]])',
    'list_distinct(list || [1, 1])',
    "list_aggregate(list, 'sum')",
    'list_cosine_similarity([1.0, id], [id, 2.0])',
    'item',
    'item.b.c',
    'struct_insert(item, z := id)',
    "struct_extract(item, 'a')",
    'struct_keys(item)',
    'struct_values(item)',
    'map',
    "map['z']",
    "map['k1']",
    'map_keys(map)',
    'map_entries(map)',
    "map_concat(map, MAP {'z': 1})",
    'list_contains(list, 3)',
    'list_intersect(list, [1, 2])',
    'array_value(id, id + 1)',
    'doc',
    "doc -> 'tags'",
    "doc ->> '$.tags[1]'",
    'json_keys(doc)',
    "json_extract(doc, '$.*')",
    'doc::STRUCT(n INTEGER, tags JSON[])',
    'to_json(item)',
    'to_json(map)',
    'json_merge_patch(doc, \'{"n": null}\')',
    "json_type(doc, '$.tags')",
    'item IS DISTINCT FROM lag(item) OVER (ORDER BY id)',
    'hash(list)',
    'hash(item)',
    'item::VARCHAR',
    'list::VARCHAR',
    'map::VARCHAR',
    'list::VARCHAR::BIGINT[]',
    'typeof(item)',
    'row(id, list)',
    'unnest(list)',
    'unnest(item, recursive := true)',
    'generate_subscripts(list, 1)',
  ]),
  ...each('SELECT {0} FROM nested', [
    'list(item ORDER BY id)',
    'map_from_entries(list((id, list) ORDER BY id))',
    'json_group_array(doc ORDER BY id)',
    'json_group_object(id, list)',
    'max(item)',
    'min(list)',
    "list_sort(list(list), 'ASC', 'NULLS LAST')",
    'histogram(len(list))',
    'array_agg(map ORDER BY id)[3]',
  ]),
  ...each('SELECT * FROM nested WHERE {0} ORDER BY id', [
    'list = [0, 1]',
    "item > {'a': 5, 'b': {'c': 'x'}}",
    '3 = ANY(list)',
    "map['z'] IS NULL",
    "doc -> 'n' = '3'",
    'list IS NULL',
    'list < [1]',
  ]),
];

const PARTS = [
  'year',
  'quarter',
  'month',
  'week',
  'day',
  'hour',
  'minute',
  'dow',
  'isodow',
  'doy',
  'epoch',
  'isoyear',
  'yearweek',
  'decade',
  'julian',
  'millisecond',
];

const TIMES = [
  ...each("SELECT id, date_part('{0}', at) AS v FROM {1} ORDER BY id", PARTS, ['instants', 'orders']),
  ...each(
    "SELECT id, date_trunc('{0}', at) AS v FROM {1} ORDER BY id",
    ['decade', 'year', 'quarter', 'month', 'week', 'day', 'hour', 'minute'],
    ['instants', 'orders'],
  ),
  ...each(
    "SELECT id, {0}('{1}', at, {2}) AS v FROM instants ORDER BY id",
    ['date_diff', 'date_sub'],
    ['year', 'month', 'week', 'day', 'hour', 'second'],
    ["TIMESTAMPTZ '2024-01-31 10:00:00+00'", "TIMESTAMPTZ '2025-02-28 23:59:59+02'"],
  ),
  ...each(
    "SELECT date_sub('{0}', TIMESTAMPTZ '2024-02-29 00:00:00+00', TIMESTAMPTZ '2024-01-30 00:00:00+00')",
    ['month', 'day'],
  ),
  ...each('SELECT id, {0} AS v FROM instants ORDER BY id', [
    "at AT TIME ZONE 'UTC'",
    "at AT TIME ZONE 'Europe/Zurich'",
    "(at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'",
    'at::DATE',
    'at::TIME',
    'at::TIMETZ',
    'at::VARCHAR',
    'at::TIMESTAMP',
    'at - INTERVAL 1 MONTH',
    "at + INTERVAL '1 month -1 day'",
    "age(TIMESTAMPTZ '2020-02-29 00:00:00+00', at)",
    "at - TIMESTAMPTZ '2024-01-01 00:00:00+00'",
    "strftime(at, '%Y-%m-%dT%H:%M:%S %j %U %W %a %b %p %f %g')",
    "time_bucket(INTERVAL '3 hours', at)",
    "time_bucket(INTERVAL '1 week', at, TIMESTAMPTZ '2024-01-03 00:00:00+00')",
    "time_bucket(INTERVAL '2 months', at, INTERVAL '3 days')",
    'last_day(at)',
    'dayname(at)',
    'monthname(at)',
    'epoch_ms(at)',
    'epoch_us(at)',
    'epoch_ns(at)',
    'era(at)',
    'at = at::TIMESTAMP',
    "at > DATE '2024-03-31'",
    'extract(timezone_hour FROM at)',
    'isfinite(at)',
    "date_part(['year', 'month', 'hour'], at)",
    'range(at, at + INTERVAL 3 DAY, INTERVAL 1 DAY)',
    "generate_series(at, at - INTERVAL 2 MONTH, INTERVAL '-1 month')",
  ]),
  ...each('SELECT {0}', [
    "strptime('31.03.2024 02:30', '%d.%m.%Y %H:%M')",
    "try_strptime('2024-02-30', '%Y-%m-%d')",
    "strptime('2024-03-31 02:30 +0530', '%Y-%m-%d %H:%M %z')",
    "'2024-03-31 02:30:00 Europe/Zurich'::TIMESTAMPTZ",
    'make_timestamptz(2024, 3, 31, 2, 30, 1.5)',
    'to_timestamp(1711848600.25)',
    "TIMESTAMPTZ '2024-03-31 02:30:00-11:30'",
    "'12:00:00+05:30'::TIMETZ < '12:00:00+02'::TIMETZ",
    "DATE '2024-03-31' - 1",
    'make_date(-1, 2, 28)',
    "INTERVAL '1 month' > INTERVAL '30 days'",
    "justify_days(INTERVAL '100 days')",
    'to_weeks(3)::VARCHAR',
    "INTERVAL '-1.5 hours'::VARCHAR",
    "TIME '10:00' + INTERVAL '15 hours'",
  ]),
];

const TEXTS = each('SELECT id, {0} AS v FROM customers ORDER BY id', [
  "regexp_extract_all(name, '[a-z]')",
  "regexp_replace(name, '(\\w)(\\w)', '\\2\\1', 'g')",
  "regexp_matches(name, '^C', 'i')",
  "regexp_extract(name, '(?P<w>\\w+) (\\d)', ['w', 'd'])",
  "name SIMILAR TO '.*[35]'",
  "name ILIKE '%MER 3'",
  "name LIKE 'cust_mer %' ESCAPE '\\'",
  "split(name, ' ')",
  "printf('%05d|%-8s|%.2f|%x', id, country, id / 3, id)",
  "format('{:>10} {:,} {}', name, id * 1000, country)",
  'levenshtein(name, country)',
  'jaro_winkler_similarity(name, country)',
  "jaccard(name, coalesce(country, 'a'))",
  'md5(name)',
  'sha256(name)',
  'base64(name::BLOB)',
  'unicode(name)',
  'chr(8364 + id)',
  "translate(name, 'cus', 'xyz')",
  "strip_accents('éà' || name)",
  "nfc_normalize('e\u0301' || id)",
  "reverse('ab🦆' || id)",
  "left('ab🦆é', id % 6)",
  "substring_grapheme('🤦🏼‍♂️abc', 1, id % 4)",
  'bar(id, 0, 30, 10)',
  'format_bytes(id * 1000000)',
  "lpad(id::VARCHAR, 4, '0')",
  "instr(name, 'r')",
  "name COLLATE NOCASE < 'CUSTOMER 3'",
  "concat_ws('-', name, NULL, country)",
  "array_to_string([name, country], '+')",
  "parse_filename('/a/' || name || '.txt', true)",
  "url_encode(name || 'ü')",
  'hash(name)',
  'to_base(id, 3)',
  'bin(id)',
  'hex(name)',
  'ascii(name)',
  "string_split_regex(name, '\\s')",
  "contains(name, '3')",
  "trim(name, 'c0123')",
  'country || name',
  "length('🦆' || name)",
  "strlen('🦆' || name)",
]);

/** Every type cast to every other. */
const CASTS = [...TYPED].flatMap(([from, [sample = 'NULL']]) =>
  [...TYPED.keys()]
    .filter((to) => from !== 'LAMBDA' && !/LAMBDA|^STRUCT|^MAP|^UNION|^ENUM/.test(to))
    .flatMap((to) => [
      `SELECT CAST(${sample} AS ${to}) AS v`,
      `SELECT TRY_CAST((${sample})::VARCHAR AS ${to}) AS v`,
    ]),
);

const SHAPES = [
  ...each('{0}', [
    'DESCRIBE orders',
    'SUMMARIZE customers',
    'SHOW TABLES',
    'DESCRIBE SELECT * FROM nested',
    'FROM few',
    'TABLE few',
    "VALUES (1, NULL), (2, 'x')",
    "SELECT COLUMNS('.*a.*') FROM orders ORDER BY ALL",
    'SELECT * REPLACE (id + 1 AS id) RENAME (name AS label) FROM customers ORDER BY ALL',
    'SELECT min(COLUMNS(*)) FROM orders',
    'FROM orders SELECT state, count() GROUP BY ALL ORDER BY ALL',
    'SELECT 1 WHERE false',
    'SELECT (SELECT v FROM few)',
    "SELECT CASE v WHEN 50 THEN 'a' WHEN NULL THEN 'b' ELSE 'c' END FROM few ORDER BY ALL",
    'SELECT v FROM few ORDER BY v DESC NULLS LAST LIMIT 2 OFFSET 1',
    'SELECT v FROM few ORDER BY v LIMIT 40%',
    'SELECT 1 AS a, a + 1 AS b, b * 2 AS c',
    'SELECT 10 // 3, -10 // 3, 10 % -3, 5 / 0, 5 % 0, 2 ** 0.5, 7 & 3, 7 | 8, xor(7, 2), ~5, 1 << 4, 5!',
    'SELECT 0.1 + 0.2, 0.1::DOUBLE + 0.2, 1e308 * 10, 9223372036854775807 + 1',
    'SELECT NULL = NULL, NULL IS NOT DISTINCT FROM NULL, 1 IN (2, NULL), NOT NULL',
    "SELECT 'a' < 'B', 'ä' > 'z', '10'::INTEGER > 9, 'nan'::DOUBLE > 'inf'::DOUBLE",
    "SELECT greatest(1, NULL, 3), least('b', 'a'), coalesce(NULL, 2), nullif(1, 1), ifnull(NULL, 3)",
  ]),
];

/** All statements, each once. */
export const STATEMENTS: readonly string[] = [
  ...new Set([
    ...JOINS,
    ...WINDOWS,
    ...SETS,
    ...AGGREGATES,
    ...PIVOTS,
    ...RECURSION,
    ...NESTED,
    ...TIMES,
    ...TEXTS,
    ...CASTS,
    ...SHAPES,
  ]),
];
