import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ALLOWED_FUNCTIONS, GRAMMAR_WORDS } from '../../../../src/sql/restricted/functions.ts';
import { checkRestrictedStatement, namesIn } from '../../../../src/sql/restricted/statement.ts';
import { cpuMs } from '../../cpu.ts';

const NAMES = {
  visible: new Set(['sales', 'other.more', 'tables', 'pg_notes', 'lateral']),
  qualifiers: new Set(['data', 'my shop', 'main', 'other', 'system', 'temp']),
  internal: new Set(['future_view']),
};
const check = (sql: string) => () => checkRestrictedStatement(sql, NAMES);

const SURFACE: { readonly functions: readonly string[] } = JSON.parse(
  readFileSync('test/engine/surface.json', 'utf8'),
);
const named = (kinds: readonly string[]) =>
  SURFACE.functions
    .map((entry) => entry.split(' '))
    .flatMap(([kind = '', name = '']) => (kinds.includes(kind) ? [name.toLowerCase()] : []));

describe('the functions of restricted statements', () => {
  it('read no table: a table function among them only counts, repeats or unnests', () => {
    const tables = named(['table', 'table_macro', 'pragma']).filter(
      (name) => ALLOWED_FUNCTIONS.has(name) || GRAMMAR_WORDS.has(name),
    );
    expect([...new Set(tables)].toSorted()).toEqual([
      'generate_series',
      'json_each',
      'json_tree',
      'range',
      'repeat',
      'unnest',
      'version',
    ]);
  });

  it('are not called by a word of the grammar', () => {
    const callable = named(['scalar', 'aggregate', 'macro']);
    expect(
      [...GRAMMAR_WORDS].filter((word) => callable.includes(word) && !ALLOWED_FUNCTIONS.has(word)),
    ).toEqual([]);
  });
});

describe('a restricted statement', () => {
  it.each([
    'SELECT a.b FROM sales AS a',
    'SELECT main.sales.x FROM main.sales',
    'SELECT a FROM "other.more"',
    "SELECT E'a\\n' AS t",
    'WITH a(x) AS (SELECT 1), b(y, z) AS NOT MATERIALIZED (SELECT 1, 2) FROM a, b',
    'WITH a(x) AS (SELECT 1), b(y) AS (VALUES (1)), c(z) AS MATERIALIZED ((FROM a)) FROM b, c',
    'SELECT s.show, (s).x FROM sales s ORDER BY s.show DESC',
    'SELECT x FROM sales ORDER BY (x) DESC',
    'FROM (SUMMARIZE SELECT 1)',
    'FROM (DESC sales)',
    'SELECT \'other.\' AS "data"',
    'SELECT pg_typeof(x)',
    "SELECT x AT TIME ZONE ('UTC') FROM sales",
    'SELECT "show" FROM sales',
    'SELECT show, 1 AS x FROM sales',
    'SELECT describe, 1 AS x FROM sales',
    'FROM pg_notes',
    'FROM sales AS t(a, b)',
    'FROM sales t(a, "b c")',
    'FROM "other.more" t(a)',
    'SELECT 1 FROM (SELECT 1) a, sales t(a), "sales" u(a) JOIN sales v(a) ON true',
    'FROM "lateral" t(a)',
    '(VALUES (1)) t(a)',
    'FROM (VALUES (1, 2)) t(a, b)',
    'FROM sales, range((1 + 2)) t(i), unnest([1]) u(x)',
    'SELECT DISTINCT ON (x) x FROM (FROM sales) t(x)',
    'SELECT a IS DISTINCT FROM (b), 1 FROM (FROM sales) AS q, (SELECT 1) t(x)',
    'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x), percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM sales',
    "SELECT x LIKE ('a%'), x NOT LIKE ('a%'), x GLOB ('a*'), s.\"x\" GLOB ('a*'), 'a' glob ('a') FROM sales s",
    "SELECT 'a'::ENUM('a', 'b'), date('2026-01-01')",
    'FROM sales UNPIVOT INCLUDE NULLS (v FOR n IN (a, b))',
    'WITH a AS (SELECT 1), b("y z") AS (SELECT 1) FROM a, b',
  ])('may be %s', (sql) => {
    expect(check(sql)).not.toThrow();
  });

  it.each([
    ['FROM data.main.sales', 'qualifies a name with data'],
    ['FROM "DATA" . sales', 'qualifies a name with data'],
    ['FROM data\u00a0.\u2003main.sales', 'qualifies a name with data'],
    ['FROM "my\u00a0shop".hidden', 'qualifies a name with my\u00a0shop'],
    ['FROM main.hidden', 'qualifies a name with main'],
    ['FROM temp.main.sales', 'qualifies a name with temp'],
    ['FROM other.more', 'Write the table as one name in double quotes: "other.more"'],
    ['SELECT s.data.x FROM sales s', 'qualifies a name with data'],
    ['FROM query_table($$hidden$$)', 'calls query_table'],
    ['FROM "query" ($$FROM hidden$$)', 'calls query'],
    ["SELECT 'x'.getvariable()", 'calls getvariable'],
    ['FROM histogram(hidden, x)', 'calls histogram'],
    ['FROM histogram("data.main.hidden", x) AS (bin VARCHAR, n BIGINT)', 'calls histogram'],
    ['FROM sales, histogram("data.main.hidden", x) AS (bin VARCHAR)', 'calls histogram'],
    ['FROM histogram_values("data.main.hidden", x) AS (values VARCHAR)', 'calls histogram_values'],
    ['FROM histogram("data.main.hidden", x) AS ("select" VARCHAR)', 'calls histogram'],
    ['FROM histogram("data.main.hidden", x) AS materialized (a VARCHAR)', 'calls histogram'],
    ['SELECT stats(x) FROM sales', 'calls stats'],
    ['SELECT combine(x, x) FROM sales', 'calls combine'],
    ['SELECT finalize(x) FROM sales', 'calls finalize'],
    ['SELECT some_new_function(x) FROM sales', 'calls some_new_function'],
    ['FROM future_view', 'names future_view'],
    ["FROM 'future_view'", 'names future_view'],
    ['FROM $t$duckdb_tables$t$', 'names duckdb_tables'],
    ['FROM "Duckdb_Columns"', 'names duckdb_columns'],
    ['FROM pg_catalog.pg_class', 'names pg_catalog'],
    ['FROM information_schema.columns', 'names information_schema'],
    ['FROM sqlite_master', 'names sqlite_master'],
    ["FROM E'duckdb_\\x74ables'", 'A text with escapes'],
    ["FROM E'duckdb_tables'", 'names duckdb_tables'],
    ['FROM data.', 'qualifies a name with data'],
    ['SELECT "exists"(1)', 'calls exists'],
    ['SELECT 1 "as" stats(x)', 'calls stats'],
    ['stats(x)', 'calls stats'],
    ['SELECT stats(x + 1)', 'calls stats, which is not among the functions that run on restricted tables.'],
    ['FROM hidden v(a, b)', 'restricted tables. If it is an alias, write AS before it.'],
    ['FROM (SELECT 1) v(a + b)', 'calls v, which'],
    ['SELECT DISTINCT ON (x) stats(x) FROM sales', 'calls stats'],
    ['SELECT DISTINCT ON ((x), abs(y)) "stats"(x) FROM sales', 'calls stats'],
    ['SELECT 1) stats(x)', 'calls stats'],
    ['SELECT x AT TIME ZONE sales stats(x)', 'calls stats'],
    ['FROM other sales stats(x)', 'calls stats'],
    ['FROM tables lateral stats(x)', 'calls stats'],
    ['FROM lateral stats(x)', 'calls stats'],
    ['FROM "sales"."tables" stats(x)', 'calls stats'],
    ["FROM glob('*')", 'calls glob'],
    ["FROM sales, glob('*')", 'calls glob'],
    ['SELECT x "glob"(\'*\')', 'calls glob'],
    ['SELECT overlay(x)', 'calls overlay'],
    ['SELECT isnull(x)', 'calls isnull'],
    ['SELECT name(x)', 'calls name'],
    ['WITH a(x) AS (SELECT 1) SELECT stats(x) FROM a', 'calls stats'],
    ['SELECT 1, stats(x + 1) AS (SELECT 1)', 'calls stats'],
    [`SELECT ${'f'.repeat(80)}(x)`, `calls ${'f'.repeat(80)}, which`],
    [`SELECT ${'f'.repeat(80)}g(x)`, `calls ${'f'.repeat(80)}…, which`],
    ['WITH x AS (SELECT 1) SHOW TABLES', 'uses SHOW'],
    ['SELECT show', 'uses SHOW'],
    ['FROM (SHOW)', 'uses SHOW'],
    ['WITH x AS (SELECT 1) DESCRIBE', 'DESCRIBE takes'],
    ['FROM (WITH x AS (SELECT 1) DESCRIBE)', 'DESCRIBE takes'],
    ['WITH x AS (SELECT 1) DESCRIBE tables', 'DESCRIBE takes'],
    ['SHOW TABLES', 'uses SHOW'],
    ['FROM (SHOW ALL TABLES)', 'uses SHOW'],
    ['DESCRIBE', 'DESCRIBE takes'],
    ['FROM (DESC)', 'DESC takes'],
    ['FROM (DESCRIBE hidden)', 'DESCRIBE takes'],
    ['FROM (DESCRIBE __show_tables_expanded)', 'DESCRIBE takes'],
    ['DESCRIBE tables FROM data', 'DESCRIBE takes'],
    ['FROM (SUMMARIZE "Tables")', 'SUMMARIZE takes'],
    ["SELECT 'open", 'never closed'],
    ['SELECT stats(x', 'calls stats'],
    ['SELECT 1, stats(1 AS (SELECT 1))', 'calls stats'],
  ])('must not be %s', (sql, message) => {
    expect(check(sql)).toThrow(
      expect.objectContaining({ code: 'sql_rejected', message: expect.stringContaining(message) }),
    );
  });

  it.each([
    ['aliases of nested brackets', `SELECT ${'('.repeat(16_000)}1${')a(b)'.repeat(16_000)}`],
    ['aliases of subqueries', `FROM ${'(SELECT 1)a(b),'.repeat(6_000)}(SELECT 1)a(b)`],
  ])('are found in one pass: %s', (_, sql) => {
    const begun = cpuMs();
    expect(check(sql)).not.toThrow();
    // It took half a minute where each alias was a walk to the beginning of its brackets.
    expect(cpuMs() - begun).toBeLessThan(3_000);
  });

  it('must not be a call, which is taken for an alias only before names', () => {
    for (const sql of ['SELECT stats(x + 1)', "FROM stats('x')"])
      expect(check(sql)).not.toThrow(expect.objectContaining({ message: expect.stringContaining('alias') }));
  });

  it('names tables as words, quoted, or as texts', () => {
    expect([...namesIn("FROM Sales, \"other.more\", 'a''b', $$c$$, E'e' -- d")]).toEqual([
      'from',
      'sales',
      ',',
      'other.more',
      "a'b",
      'c',
      'e',
    ]);
  });
});
