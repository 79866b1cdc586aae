import fc from 'fast-check';
import { COLUMNS } from './tables.ts';

/** A request that a client makes. Both worlds get the same. */
export interface Probe {
  readonly era: 'modern' | 'legacy';
  /** Whether the client wants progress and log lines. */
  readonly watches: boolean;
  readonly views: boolean;
  readonly query: string;
  readonly ask: Ask;
}

/** What a request asks for. Endpoints and tables are numbers, so that cases shrink. */
export type Ask =
  | { readonly of: 'list'; readonly method: string }
  | { readonly of: 'endpoint'; readonly at: number; readonly args: Readonly<Record<string, unknown>> }
  | { readonly of: 'view'; readonly at: number }
  | { readonly of: 'complete'; readonly at: number; readonly value: string }
  | { readonly of: 'sql'; readonly sql: string }
  | { readonly of: 'schema'; readonly table: string }
  | { readonly of: 'tables' }
  | { readonly of: 'search'; readonly query: string }
  | { readonly of: 'unknown'; readonly name: string }
  | { readonly of: 'page'; readonly path: string; readonly accept: string };

const args = fc.record(
  {
    id: fc.constantFrom<unknown>(0, 0, 0, 1, 2, 4, -1, 'x', null),
    region: fc.constantFrom<unknown>('EU', 'US', '', null, 7),
  },
  { requiredKeys: [] },
);

const at = fc.nat(3);

/** The names of tables, visible or not; `vault` is in one world only, or in none. */
const tableName = fc.constantFrom(
  't0',
  't1',
  't1',
  't0',
  'T0',
  '"t1"',
  'vault',
  'l0',
  'main.t0',
  'other.vault',
);
const column = fc.oneof(fc.constantFrom(...COLUMNS.map(({ name }) => name)), fc.constant('rowid'));
const constant = fc.constantFrom('0', '1', "'EU'", "'****'", 'NULL', "'7'");

const scalar: fc.Arbitrary<string> = fc.oneof(
  column,
  constant,
  column.map((one) => `CAST(${one} AS INTEGER)`),
  column.map((one) => `CAST(${one} AS VARCHAR)`),
  column.map((one) => `1 / (length(CAST(${one} AS VARCHAR)) - 2)`),
  column.map((one) => `CASE WHEN CAST(${one} AS VARCHAR) LIKE 'E%' THEN error('found') ELSE 1 END`),
  column.map((one) => `lag(${one}) OVER (ORDER BY id)`),
  column.map((one) => `md5(CAST(${one} AS VARCHAR))`),
  fc.tuple(column, tableName).map(([one, name]) => `(SELECT max(${one}) FROM ${name})`),
  fc.constantFrom('*', 'COLUMNS(*)', 'x', "COLUMNS(c -> c LIKE '%e%')"),
);
const aggregate = fc.oneof(
  fc.constantFrom('count(*)', 'sum(pay)', 'max(id)'),
  column.map((one) => `string_agg(CAST(${one} AS VARCHAR), ',')`),
  column.map((one) => `count(DISTINCT ${one})`),
  column.map((one) => `min(${one})`),
  column.map((one) => `approx_quantile(TRY_CAST(${one} AS INTEGER), 0.5)`),
  column.map((one) => `list(${one} ORDER BY ${one})`),
);
const where = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  {
    weight: 3,
    arbitrary: fc
      .tuple(column, fc.constantFrom('=', '<', '>=', '<>', 'LIKE'), fc.oneof(column, constant))
      .map((parts) => ` WHERE ${parts.join(' ')}`),
  },
  { weight: 1, arbitrary: scalar.map((one) => ` WHERE ${one} IS NOT NULL`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(tableName, column)
      .map(([name, one]) => ` WHERE EXISTS (SELECT 1 FROM ${name} WHERE ${one} IS NULL)`),
  },
);
const order = fc.oneof(
  fc.constantFrom('', ' ORDER BY ALL', ' ORDER BY pay, id', ' ORDER BY 1', ' LIMIT 2'),
  column.map((one) => ` ORDER BY ${one} DESC, id`),
);

/** Statements of a curious caller: many fail, and their errors must be the same too. */
const statement = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(scalar, scalar, tableName, where, order)
      .map(([one, other, name, filter, by]) => `SELECT ${one}, ${other} FROM ${name} AS x${filter}${by}`),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(aggregate, aggregate, tableName, where)
      .map(([one, other, name, filter]) => `SELECT ${one}, ${other} FROM ${name}${filter}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(column, aggregate, tableName, where)
      .map(
        ([by, one, name, filter]) => `SELECT ${by}, ${one} FROM ${name}${filter} GROUP BY ${by} ORDER BY ALL`,
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(tableName, tableName, column)
      .map(([one, other, by]) => `SELECT count(*) FROM ${one} a JOIN ${other} b ON a.${by} = b.${by}`),
  },
  { weight: 1, arbitrary: tableName.map((name) => `FROM (SUMMARIZE ${name})`) },
  { weight: 1, arbitrary: tableName.map((name) => `FROM (DESCRIBE ${name})`) },
  { weight: 1, arbitrary: tableName.map((name) => `FROM ${name}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'SHOW TABLES',
      'SELECT 1',
      'FROM duckdb_tables()',
      'EXPLAIN FROM t0',
      'SELEC 1',
      'FROM t0 UNION ALL FROM t1',
    ),
  },
);

const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'discover'];

const ask: fc.Arbitrary<Ask> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ of: fc.constant('endpoint' as const), at, args }) },
  { weight: 8, arbitrary: fc.record({ of: fc.constant('sql' as const), sql: statement }) },
  {
    weight: 3,
    arbitrary: fc.record({ of: fc.constant('list' as const), method: fc.constantFrom(...LISTS) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      of: fc.constant('complete' as const),
      at,
      value: fc.constantFrom('', '', '', 'E', '1', 'x'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      of: fc.constant('schema' as const),
      table: fc.constantFrom('t0', 't1', 'T1', 'vault', 'l0', 'other.vault'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ of: fc.constant('tables' as const) }) },
  { weight: 2, arbitrary: fc.record({ of: fc.constant('view' as const), at }) },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant('search' as const),
      query: fc.constantFrom('ledger', 'secret', 'e1 region', 'table'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant('unknown' as const),
      name: fc.constantFrom('nothing', 't0', 'e9'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant('page' as const),
      path: fc.constantFrom('/', '/health', '/ready', '/nothing'),
      accept: fc.constantFrom('text/html', 'application/json'),
    }),
  },
);

export const probe: fc.Arbitrary<Probe> = fc.record({
  era: fc.constantFrom('modern', 'modern', 'legacy'),
  watches: fc.boolean(),
  views: fc.constantFrom(true, true, false),
  query: fc.constantFrom('', '', '', '', '?tags=a', '?tags=b', '?tags=nothing', '?schema_profile=gemini'),
  ask,
});
