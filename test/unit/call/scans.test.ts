import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toAuditRecord } from '../../../src/audit/record.ts';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import { toPublicText } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/json.ts';
import { contextOf, type EngineName, errorOf, type Served, SITE, serveTree } from './project.ts';

const SEED = 'CREATE TABLE sales AS SELECT i AS id, i * 0.5 AS amount FROM range(5000) t(i)';
const tool = (name: string, sql: string, limits: string) =>
  `svc: 1\ntool:\n  name: ${name}\n  description: d\n${limits}  source: { code: "${sql}" }\n`;
const SUM = 'SELECT sum(id)::INTEGER AS n FROM sales';
const TREE = {
  'svc-site.yml': `${SITE}limits: { scan_rows: 1000 }\nsql_tools: { enabled: true }\n`,
  'tools/site.yml': tool('site', SUM, ''),
  'tools/own.yml': tool('own', SUM, '  limits: { scan_rows: 5000 }\n'),
  'tools/bytes.yml': tool('bytes', SUM, '  limits: { scan_rows: 9000, scan_bytes: 39999 }\n'),
  'tools/endless.yml': tool(
    'endless',
    'SELECT id, 1e309 AS most FROM sales',
    '  limits: { scan_rows: 9000, scan_bytes: 39999 }\n',
  ),
};

describe.each<EngineName>(['wasm', 'native'])('limits on scans, %s', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveTree(TREE, SEED, engine);
  });
  afterAll(() => served.close());

  const call = (name: string, args: JsonObject = {}) => {
    const { runtime } = served;
    const entry = runtime.catalog.tools[name];
    if (entry === undefined) throw new Error(`no tool ${name}`);
    return callEndpoint({ runtime, entry, args, context: contextOf() });
  };
  const lastRecord = () => {
    const record = served.records.at(-1);
    if (record === undefined) throw new Error('no record');
    return toAuditRecord(record, { inputs: false, outputs: false });
  };

  it('of the site hold for every endpoint, and the record has the estimate', async () => {
    const error = await errorOf(call('site'));
    expect(error.code).toBe('scan_too_large');
    expect(toPublicText(error)).toMatch(/about 5000 rows, and the limit is 1000/);
    expect(toPublicText(error)).not.toMatch(/sales/);
    expect(lastRecord()).toMatchObject({ error_code: 'scan_too_large', estimated_rows: 5000 });
  });

  it('of an endpoint take precedence', async () => {
    expect(await call('own')).toMatchObject({ value: [{ n: 12_497_500 }] });
    expect(lastRecord()).toMatchObject({ operation_status: 'success', estimated_rows: 5000 });
  });

  it('hold for the SQL tools', async () => {
    const error = await errorOf(call('execute_sql_query', { sql: 'SELECT * FROM sales' }));
    expect(error.code).toBe('scan_too_large');
    expect(lastRecord().estimated_rows).toBe(5000);
    const few = await call('execute_sql_query', { sql: 'SELECT amount FROM sales WHERE id = 7' });
    expect(few).toMatchObject({ value: [{ amount: 3.5 }] });
    expect(await call('list_tables')).toMatchObject({ value: [{ name: 'sales' }] });
  });

  it('in bytes hold where the engine estimates them', async () => {
    if (engine === 'wasm') {
      expect(await call('bytes')).toMatchObject({ value: [{ n: 12_497_500 }] });
      expect(lastRecord()).toMatchObject({ estimated_rows: 5000, estimated_bytes: null });
      return;
    }
    expect((await errorOf(call('endless'))).code).toBe('scan_too_large');
    const error = await errorOf(call('bytes'));
    expect(error.message).toMatch(/about 40000 bytes, and the limit is 39999 \(`limits\.scan_bytes`\)/);
    expect(lastRecord()).toMatchObject({ estimated_rows: 5000, estimated_bytes: 40_000 });
  });
});

describe('without limits on scans', () => {
  it('a record has no estimate', async () => {
    const served = await serveTree({ 'tools/site.yml': tool('site', SUM, '') }, SEED, 'native');
    const entry = served.runtime.catalog.tools.site;
    if (entry === undefined) throw new Error('no tool');
    await callEndpoint({ runtime: served.runtime, entry, args: {}, context: contextOf() });
    await served.close();
    expect(served.records[0]).not.toHaveProperty('estimate');
  });
});

describe('limits on scans of statements that write', () => {
  it('refuse before anything is written', async () => {
    const copy = tool('copy', 'INSERT INTO target SELECT id FROM sales', '  limits: { scan_rows: 1000 }\n');
    const one = tool('one', 'INSERT INTO target VALUES (1)', '  limits: { scan_rows: 1000 }\n');
    const tree = { 'tools/copy.yml': copy, 'tools/one.yml': one };
    const served = await serveTree(tree, `${SEED}; CREATE TABLE target (id BIGINT)`, 'native, read-write');
    const run = (name: string) => {
      const entry = served.runtime.catalog.tools[name];
      if (entry === undefined) throw new Error(`no tool ${name}`);
      return callEndpoint({ runtime: served.runtime, entry, args: {}, context: contextOf() });
    };
    expect((await errorOf(run('copy'))).code).toBe('scan_too_large');
    await run('one');
    const database = await served.runtime.database();
    const request = {
      sql: 'SELECT count(*) AS n FROM target',
      values: [],
      mode: 'read',
      maxRows: 1,
    } as const;
    const { rows } = await database.run(request, {
      caller: null,
      signal: new AbortController().signal,
      timeoutMs: 15_000,
    });
    await served.close();
    expect(rows).toEqual([{ n: 1 }]);
  });
});
