import { describe, expect, it } from 'vitest';
import { checkCatalog } from '../../../../src/catalog/checks/check.ts';
import { loadTree } from '../../call/project.ts';

async function findingsOf(sql: string, cache = 'cache: { ttl: 30s }', more = ''): Promise<readonly string[]> {
  const tool = `svc: 1\ntool:\n  name: a\n  description: d\n  ${cache}\n${more}  source: { code: "${sql}" }\n`;
  const project = await loadTree({ 'tools/a.yml': tool });
  const findings = [...project.findings, ...(await checkCatalog(project))];
  return findings.map(({ code, message, fix }) => `${code}: ${message} ${fix}`);
}

describe('cache', () => {
  it.each([
    "SELECT * FROM 's3://bucket/file.parquet'",
    'SELECT now() AS at, random() AS chance',
    'SELECT * FROM items WHERE owner = get_username() AND email = get_user_email()',
    "SELECT 'get_request_header(x)' AS text -- get_user_external_token()",
  ])('stands at a read: %s', async (sql) => {
    expect(await findingsOf(sql)).toEqual([]);
  });

  it.each([
    ['INSERT INTO items VALUES (1)', 'the SQL writes: INSERT'],
    ['CREATE TABLE a AS SELECT 1', 'the SQL writes: CREATE'],
    ["SELECT get_request_header('x') AS v", 'the SQL reads get_request_header'],
    ['SELECT GET_REQUEST_HEADERS_JSON() AS v', 'the SQL reads GET_REQUEST_HEADERS_JSON'],
    ['SELECT get_user_external_token() AS v', 'the SQL reads get_user_external_token'],
  ])('is refused at %s', async (sql, reason) => {
    expect(await findingsOf(sql)).toEqual([
      expect.stringContaining(`cache: \`cache\` keeps results, but ${reason}`),
    ]);
  });

  it.each([
    'cache: { ttl: 30 }',
    'cache: { ttl: 0s }',
    'cache: { ttl: 1d }',
    'cache: { ttl: soon }',
    'cache: {}',
    'cache: 30s',
    'cache: { ttl: 30s, shared: true }',
  ])('has a time with its unit, not %s', async (cache) => {
    expect(await findingsOf('SELECT 1 AS v', cache)).toHaveLength(1);
  });

  it('is refused at Python', async () => {
    const tool =
      'svc: 1\ntool:\n  name: a\n  description: d\n  cache: { ttl: 1m }\n  source: { file: ../python/a.py }\n';
    const project = await loadTree({ 'tools/a.yml': tool, 'python/a.py': 'def a():\n  return 1\n' });
    expect((await checkCatalog(project)).map(({ message }) => message)).toEqual([
      '`cache` keeps results of SQL, but the source is Python.',
    ]);
  });
});
