import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import { checkCatalog } from '../../../src/catalog/checks/check.ts';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import type { RequestContext } from '../../../src/context.ts';
import type { JsonObject } from '../../../src/json.ts';
import {
  ALICE,
  contextOf,
  type EngineName,
  errorOf,
  loadTree,
  type Served,
  SITE,
  serveTree,
} from './project.ts';

const ENABLED = `${SITE}sql_tools:
  enabled: true
  list_tables: { description: What there is. }
  execute_sql_query:
    policies:
      input:
        - { condition: "user.role == 'guest'", action: deny, reason: Not for guests. }
      output:
        - { condition: "size(response) > 900 && user.role == 'analyst'", action: deny, reason: Ask for less. }
`;
const SEED = `CREATE TABLE items AS SELECT i AS id, 'item ' || i AS name FROM range(1500) t(i);
  ALTER TABLE items ALTER id SET NOT NULL;
  CREATE SCHEMA other; CREATE TABLE other.more (x DECIMAL(10,2), day DATE);
  CREATE VIEW few AS SELECT * FROM items LIMIT 3; CREATE SEQUENCE numbers`;

/** Each reaches for something beyond the data: files, network, settings, other programs, writing. */
const ESCAPES: readonly string[] = [
  "SELECT * FROM read_csv('/etc/passwd')",
  "SELECT * FROM read_csv_auto('/etc/passwd')",
  "SELECT * FROM read_text('/etc/passwd')",
  "SELECT content FROM read_blob('/etc/passwd')",
  "SELECT * FROM read_parquet('s3://bucket/file.parquet')",
  "SELECT * FROM read_json('https://example.com/x.json')",
  "SELECT * FROM '/etc/passwd'",
  "FROM 'duckdb_'\n'databases'",
  "FROM 'duckdb_' -- x\n'databases'",
  "FROM E'duckdb_'\n'databases'",
  "FROM E''\n'duckdb_databases'",
  "SELECT * FROM '/etc/hosts.csv'",
  'SELECT * FROM "/etc/hosts.csv"',
  "FROM 'https://example.com/x.parquet'",
  "SELECT * FROM glob('/*')",
  "SELECT * FROM sniff_csv('/etc/passwd')",
  "SELECT * FROM query('SELECT 1')",
  "SELECT * FROM query_table('items')",
  "FROM histogram('items', id)",
  "FROM histogram_values('duckdb_' || 'databases', path, technique := 'sample')",
  "FROM system.main.histogram_values('information_schema.tables', table_name, technique := 'sample')",
  "FROM sql_auto_complete('SELECT * FROM duckdb_')",
  "SELECT json_serialize_plan('FROM duckdb_databases()')",
  "SELECT 'FROM duckdb_databases()'.json_serialize_plan()",
  "SELECT * FROM parquet_metadata('x.parquet')",
  "SELECT getenv('HOME')",
  "SELECT current_setting('temp_directory')",
  'SELECT * FROM duckdb_settings()',
  'SELECT * FROM "duckdb_settings"()',
  'SELECT * FROM DUCKDB_SETTINGS()',
  'SELECT * FROM system.main.duckdb_settings /* x */ ()',
  'SELECT * FROM U&"duckdb\\005fsettings"()',
  "SELECT 'temp_directory'.current_setting()",
  'SELECT * FROM duckdb_databases()',
  'SELECT path FROM duckdb_databases',
  'SELECT * FROM pragma_database_list',
  'SELECT * FROM pg_catalog.pg_settings',
  'SELECT setting FROM "PG_Settings"',
  "FROM 'pg_settings'",
  "FROM 'Duckdb_Databases'",
  'FROM $x$pragma_database_list$x$',
  "FROM e'pg_\\x73ettings'",
  "FROM E'pg_\\163ettings'",
  "FROM E'pg_\\u0073ettings'",
  "FROM E'pg_\\U00000073ettings'",
  "FROM E'\\pg_settings'",
  'FROM (SUMMARIZE pg_settings)',
  'FROM duckdb_profiling_settings()',
  'FROM duckdb_logs_parsed($$QueryLog$$)',
  'SELECT * FROM duckdb_secrets()',
  'SELECT * FROM duckdb_extensions()',
  'SELECT * FROM duckdb_logs',
  "SELECT nextval('numbers')",
  'SELECT * FROM checkpoint()',
  'SELECT * FROM force_checkpoint()',
  "SELECT * FROM enable_logging('QueryLog')",
  // Requirements: sql.tools
  'SELECT get_user_external_token()',
  // Requirements: sql.tools
  "SELECT get_request_header('authorization')",
  // Requirements: sql.tools
  'SELECT get_request_headers_json()',
  "SELECT which_secret('s3://x', 's3')",
  "COPY items TO '/tmp/svc-out.csv'",
  "COPY (SELECT 1) TO '/dev/stdout'",
  "EXPORT DATABASE '/tmp/svc-out'",
  "ATTACH '/tmp/svc-other.db'",
  'DETACH data',
  'INSTALL httpfs',
  'LOAD httpfs',
  "SET memory_limit = '100GB'",
  'RESET ALL',
  'PRAGMA database_list',
  'CALL pragma_version()',
  "INSERT INTO items VALUES (1, 'x')",
  "UPDATE items SET name = 'x'",
  'DELETE FROM items',
  'DROP TABLE items',
  'CREATE TABLE mine (x INTEGER)',
  'CREATE TEMP MACRO get_username() AS 1',
  'WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone',
  'BEGIN',
  'EXPLAIN ANALYZE DELETE FROM items',
  'SELECT 1; SELECT 2',
  'SELECT 1; DROP TABLE items',
  'SELECT 1) ; DROP TABLE items; --',
  'SELECT * FROM items) LIMIT 1; DELETE FROM items; SELECT * FROM (SELECT 1',
  'SELECT $name',
  'SELECT $1',
  'SELECT ?',
  "SELECT 'open",
  'SELECT /* open',
  '',
  '   ',
  '-- nothing',
  ';',
];

describe.each<EngineName>(['wasm', 'native', 'native, read-write'])(
  'the built-in SQL tools on %s',
  (engine) => {
    let served: Served;
    beforeAll(async () => {
      served = await serveTree({ 'svc-site.yml': ENABLED }, SEED, engine);
    });
    afterAll(() => served.close());

    const call = (name: string, args: JsonObject, context: RequestContext = contextOf()) => {
      const entry = served.runtime.catalog.tools[name];
      if (entry === undefined) throw new Error(name);
      return callEndpoint({ runtime: served.runtime, entry, args, context });
    };
    const query = (sql: string, context?: RequestContext) => call('execute_sql_query', { sql }, context);

    // Requirements: feature.sql_tools
    it('list tables and views, those of other schemas under their full name', async () => {
      expect((await call('list_tables', {})).value).toEqual([
        { name: 'few', type: 'VIEW' },
        { name: 'items', type: 'BASE TABLE' },
        { name: 'other.more', type: 'BASE TABLE' },
      ]);
    });

    it('show the columns of a table in order', async () => {
      expect((await call('get_table_schema', { table_name: 'items' })).value).toEqual([
        { name: 'id', type: 'BIGINT', nullable: 'NO' },
        { name: 'name', type: 'VARCHAR', nullable: 'YES' },
      ]);
      expect((await call('get_table_schema', { table_name: 'other.more' })).value).toEqual([
        { name: 'x', type: 'DECIMAL(10,2)', nullable: 'YES' },
        { name: 'day', type: 'DATE', nullable: 'YES' },
      ]);
      expect((await call('get_table_schema', { table_name: "x' OR 1=1 --" })).value).toEqual([]);
    });

    // Requirements: feature.sql_tools
    it.each([
      ['SELECT id, name FROM items WHERE id = 7', [{ id: 7, name: 'item 7' }]],
      ['-- first\nSELECT 1 AS n; -- last', [{ n: 1 }]],
      ["WITH a AS (SELECT 'x;y' AS t) SELECT t FROM a", [{ t: 'x;y' }]],
      ['FROM few ORDER BY id DESC LIMIT 1', [{ id: 2, name: 'item 2' }]],
      ['VALUES (1)', [{ col0: 1 }]],
      ['SELECT id AS glob, id AS last_scan FROM few WHERE id = 1', [{ glob: 1, last_scan: 1 }]],
      ['DESCRIBE few', [expect.objectContaining({ column_name: 'id' }), expect.anything()]],
      ['SHOW TABLES', [{ name: 'few' }, { name: 'items' }]],
      ["SELECT table_name FROM information_schema.tables WHERE table_name = 'few'", [{ table_name: 'few' }]],
    ])('run %j', async (sql, rows) => {
      expect((await query(sql)).value).toEqual(rows);
    });

    // DuckDB 1.5 finds a defect of its own.
    it('say that a statement fails each time', async () => {
      const sql = `SELECT a.x FROM (VALUES ('1'::JSON), ('2'::JSON)) a(x)
        ASOF LEFT JOIN (VALUES ('1'::JSON), (NULL::JSON)) b(x) ON a.x > b.x`;
      await expect(query(sql)).rejects.toMatchObject({
        code: 'sql_rejected',
        message: expect.stringContaining('because of a defect of DuckDB'),
      });
    });

    it('stop at 1,000 rows and say so', async () => {
      const { value, truncated } = await query('SELECT id FROM items');
      expect(value).toHaveLength(1_000);
      expect(truncated).toMatchObject({ reason: 'rows', limit: 1_000 });
    });

    it('tell what is wrong with a statement in the words of DuckDB', async () => {
      const unknown = await errorOf(query('SELECT * FROM itms'));
      expect(unknown.code).toBe('sql_rejected');
      expect(unknown.message).toMatch(/itms does not exist/);
      expect(await errorOf(query('SELEC 1'))).toMatchObject({
        code: 'sql_rejected',
        message:
          'The statement was refused. Its kind is not known: a query begins with SELECT, WITH or FROM.',
      });
      expect((await errorOf(query("SELECT 'x'::INTEGER"))).message).toMatch(/Could not convert string/);
    });

    it.each(ESCAPES)('refuse %j', async (sql) => {
      const error = await errorOf(query(sql, contextOf(ALICE)));
      expect(['sql_rejected', 'arguments_invalid']).toContain(error.code);
      expect(error.message).not.toMatch(/planted|root:|data\.duckdb|svc-endpoint/);
    });

    it('leave everything as it was', async () => {
      expect((await query('SELECT count(*) AS n, max(name) AS name FROM items')).value).toEqual([
        { n: 1500, name: 'item 999' },
      ]);
    });

    it('know who asks, but not by which credentials', async () => {
      const sql = 'SELECT get_username() AS who, get_user_email() AS mail';
      const { value } = await query(sql, contextOf(ALICE));
      expect(value).toEqual([{ who: 'alice', mail: 'alice@acme.com' }]);
    });

    it('are under the policies of the site', async () => {
      const guest = { ...ALICE, role: 'guest' };
      expect(await errorOf(query('SELECT 1', contextOf(guest)))).toMatchObject({
        message: 'Not for guests.',
      });
      expect(await errorOf(query('FROM range(901)', contextOf(ALICE)))).toMatchObject({
        message: 'Ask for less.',
      });
      expect(served.records.at(-1)).toMatchObject({
        name: 'execute_sql_query',
        decision: { outcome: 'deny' },
      });
    });

    it('end a statement that takes too much', async () => {
      const entry = served.runtime.catalog.tools.execute_sql_query;
      if (entry === undefined) throw new Error('missing');
      const short = { ...entry, limits: { ...entry.limits, timeoutMs: 200 } };
      const sql =
        'SELECT count(*) AS n FROM range(100000000) a, range(1000) b WHERE a.range * b.range % 7 = 1';
      const error = await errorOf(
        callEndpoint({ runtime: served.runtime, entry: short, args: { sql }, context: contextOf() }),
      );
      expect(error.code).toBe('deadline_exceeded');
    });
  },
);

describe('the built-in SQL tools of a project', () => {
  // Requirements: site.sql_tools.enabled
  it('are not there unless asked for', async () => {
    const toolsOf = async (site: string) =>
      Object.keys((await compileCatalog(await loadTree({ 'svc-site.yml': site }))).tools);
    const all = ['execute_sql_query', 'get_table_schema', 'list_tables'];
    expect(await toolsOf(SITE)).toEqual([]);
    expect(await toolsOf(`${SITE}sql_tools: { enabled: false }\n`)).toEqual([]);
    expect(await toolsOf(`${SITE}sql_tools: { enabled: true }\n`)).toEqual(all);
  });

  it('are an error where an endpoint has the name of one', async () => {
    const tool = 'tool:\n  name: list_tables\n  source: { code: SELECT 1 }\n';
    const project = await loadTree({ 'svc-site.yml': ENABLED, 'tools/mine.yml': tool });
    expect(await checkCatalog(project)).toEqual([
      expect.objectContaining({ code: 'duplicate-name', file: 'tools/mine.yml', line: 2 }),
    ]);
    expect(await checkCatalog(await loadTree({ 'tools/mine.yml': tool }))).toEqual([]);
  });

  it.each(['filter_fields', 'mask_fields'])('refuse %s, which an alias evades', async (action) => {
    const site = ENABLED.replace(/action: deny, reason: Ask.*/, `action: ${action}, fields: [secret] }`);
    const findings = await checkCatalog(await loadTree({ 'svc-site.yml': site }));
    expect(findings).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'policy',
        line: 12,
        fix: 'Hide columns and rows under `sql_tools.tables`.',
      }),
    ]);
    await expect(compileCatalog(await loadTree({ 'svc-site.yml': site }))).rejects.toThrow(
      'sql_tools.tables',
    );
  });

  it.each([
    ['to: "region == 1"', 'reads "region", which does not exist'],
    ['rows: "user.emial == a"', 'reads "user.emial"'],
    ['rows: "a + 1 == 2"', 'calculates with a column'],
    ['rows: "a.matches(\'x\')"', 'uses matches on a column'],
    ['rows: "a == "', 'not a valid CEL expression'],
    ['rows: "[1].exists(x, x == a)"', 'SQL cannot evaluate'],
    ['hide: [A], mask: [a]', 'under `hide` and under `mask`'],
  ])('have the rules of tables checked: %s', async (rule, message) => {
    const site = `${SITE}sql_tools:\n  enabled: true\n  tables:\n    - { name: t, ${rule} }\n`;
    const findings = await checkCatalog(await loadTree({ 'svc-site.yml': site }));
    expect(findings).toEqual([expect.objectContaining({ code: 'policy', file: 'svc-site.yml', line: 7 })]);
    expect(findings[0]?.message).toContain(message);
  });

  it('have rules of tables refused that never apply, or contradict `attached`', async () => {
    const site = `${SITE}sql_tools:\n  attached: true\n  tables:\n    - { name: t }\n    - { name: T, hide: [a] }\n`;
    const findings = await checkCatalog(await loadTree({ 'svc-site.yml': site }));
    expect(findings.map(({ line, message }) => `${line} ${message}`)).toEqual([
      expect.stringMatching(/^5 `attached` is true/),
      expect.stringMatching(/^8 The rule never applies/),
    ]);
  });

  it('have their policies checked where they are written', async () => {
    const site = ENABLED.replace("user.role == 'guest'", "usr.role == 'guest'");
    const findings = await checkCatalog(await loadTree({ 'svc-site.yml': site }));
    expect(findings).toEqual([
      expect.objectContaining({ severity: 'error', code: 'policy', file: 'svc-site.yml', line: 10 }),
    ]);
    expect(findings[0]?.message).toContain('usr');
  });
});
