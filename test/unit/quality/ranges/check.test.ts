import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compileEngine } from '../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../../../adapters/duckdb-wasm/in-process.ts';
import { RemoteFile } from '../../../../adapters/duckdb-wasm/remote/remote-file.ts';
import { compileCatalog } from '../../../../src/catalog/compile.ts';
import type { Database } from '../../../../src/ports.ts';
import type { Finding } from '../../../../src/project/finding.ts';
import { checkRanges } from '../../../../src/quality/ranges/check.ts';
import { createDatabase, read } from '../../adapters/duckdb-wasm/fixture.ts';
import { digestsOf, FakeStore } from '../../adapters/duckdb-wasm/remote/source.ts';
import { load, SITE } from '../../project/memory.ts';

/** Sorted by id and day; a customer is in every group of rows. */
const TABLES = `
  CREATE TABLE sales AS SELECT i AS id, DATE '2020-01-01' + (i // 2000)::INTEGER AS day,
    (hash(i) % 20000)::INTEGER AS customer, hash(i + 1) AS reference, hash(i + 2) AS weight, hash(i + 3) AS code
    FROM range(1000000) t(i);
  CREATE INDEX by_code ON sales (code);
  CREATE SCHEMA shop;
  CREATE TABLE shop."the orders" AS SELECT i AS id, hash(i) AS "the customer" FROM range(300000) t(i);`;
const BLOCK = 262_144;

let folder: string;
let path: string;
let database: Database;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-ranges-'));
  path = await createDatabase(TABLES, 'data.duckdb', folder);
  database = await openWasm({ ...(await compileEngine()), file: pathFile(path), memoryMb: 256 });
}, 120_000);
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

async function check(sql: string, limits = '', ranges = 0, engine = database): Promise<readonly Finding[]> {
  const project = await load({
    'svc-site.yml': SITE,
    'tools/sale.yml': `svc: 1
tool:
  name: sale
${sql.includes('$id') ? '  parameters: [{ name: id, type: integer, examples: [500000] }]' : ''}
${limits}
  source:
    code: |
      ${sql}
`,
  });
  const endpoints = project.endpoints.flatMap(({ endpoint }) =>
    endpoint?.kind === 'tool' ? [endpoint] : [],
  );
  const catalog = await compileCatalog(project);
  return checkRanges(endpoints, catalog, engine, { platform: 'workers', ranges, blockBytes: BLOCK });
}

/** The ranges that a new engine reads for a statement, after it opened the file and knows its tables. */
async function rangesOf(sql: string): Promise<number> {
  const bytes = new Uint8Array(readFileSync(path));
  const store = new FakeStore(bytes);
  const file = new RemoteFile({ name: 'data.duckdb', source: store, digests: digestsOf(bytes) });
  const engine = await openWasm({ ...(await compileEngine()), file: async () => file });
  onTestFinished(() => engine.close());
  await read(engine, 'SELECT * FROM sales WHERE id = -1');
  const { fetched } = await read(engine, sql.replaceAll('$id', '500000'), { timeoutMs: 60_000 });
  return fetched?.ranges ?? 0;
}

// Requirements: large.validate
describe('the ranges that a plan reads', () => {
  it.each([
    'SELECT * FROM sales WHERE id = $id',
    'SELECT day, reference FROM sales WHERE id BETWEEN $id AND $id + 10',
    'SELECT reference, weight FROM sales WHERE code = 17',
    'SELECT id, reference FROM sales WHERE customer = 77',
    'SELECT sum(reference) FROM sales',
    'SELECT sum(reference), max(weight) FROM sales WHERE id >= 0',
    'SELECT * FROM sales',
    'SELECT id, customer FROM sales ORDER BY reference DESC LIMIT 5',
    'SELECT id FROM sales ORDER BY id DESC LIMIT 5',
    'SELECT count(*) FROM sales',
    'SELECT a.reference, b.weight FROM sales a JOIN sales b ON b.id = a.id + 1 WHERE a.id = $id',
  ])(
    'are about those that it reads: %s',
    async (sql) => {
      const [finding] = await check(sql);
      const [, text = '0'] = /reads about ([\d,]+) ranges/.exec(finding?.message ?? '') ?? [];
      const [expected, actual] = [Number(text.replaceAll(',', '')), await rangesOf(sql)];
      expect({
        expected,
        actual,
        close: expected <= actual * 1.5 + 6 && actual <= expected * 1.5 + 6,
      }).toEqual({
        expected,
        actual,
        close: true,
      });
    },
    60_000,
  );
});

it('are those of the file, also if DuckDB has small blocks in it', async () => {
  const smaller = await createDatabase(TABLES, 'small.duckdb', folder, 16_384);
  const whole = await check('SELECT sum(reference) FROM sales');
  const engine = await openWasm({ ...(await compileEngine()), file: pathFile(smaller), memoryMb: 256 });
  onTestFinished(() => engine.close());
  const found = await check('SELECT sum(reference) FROM sales', '', 0, engine);
  const rangesIn = ([finding]: readonly Finding[]) =>
    Number(/about (\d+) ranges/.exec(finding?.message ?? '')?.[1]);
  expect(rangesIn(found)).toBeGreaterThan(rangesIn(whole) * 0.8);
  expect(rangesIn(found)).toBeLessThan(rangesIn(whole) * 1.5);
}, 60_000);

// Requirements: large.validate
describe('an endpoint that reads too much', () => {
  it('is found at its statement, with the order of rows that helps', async () => {
    const [finding, ...more] = await check('SELECT sum(reference) FROM sales WHERE customer = 77', '', 10);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      severity: 'warning',
      code: 'too-many-ranges',
      file: 'tools/sale.yml',
      line: 8,
      message: expect.stringMatching(
        / a call on workers may read 10 ranges, so the call would end with scan_too_large\.$/,
      ),
      fix: expect.stringMatching(
        /^Sort the table by customer: `svc build --target workers --sort sales=customer` reads about \d ranges of it\./,
      ),
    });
  });

  it('is told to read less if no order helps', async () => {
    const [finding] = await check('SELECT sum(reference) FROM sales', '', 10);
    expect(finding?.fix).toMatch(/^Filter by a column by which the table is sorted or indexed, /);
    const [other] = await check('SELECT sum("the customer") FROM shop."the orders"', '', 1);
    expect(other?.message).toMatch(/^The plan reads about \d+ ranges/);
  });

  it('is compared with its own limit of bytes, too', async () => {
    const sql = 'SELECT sum(reference) FROM sales';
    const limits = '  limits: { scan_bytes: 1000000 }';
    const [finding] = await check(sql, limits, 900);
    expect(finding?.message).toContain('`limits.scan_bytes` of the endpoint allows 1,000,000 bytes');
    expect(await check(sql, limits.replace('1000000', '100000000'), 900)).toEqual([]);
  });

  it.each([
    'SELECT * FROM sales WHERE id = $id',
    'SELECT reference FROM sales WHERE code = 17',
    'SELECT count(*) FROM sales',
    'SELECT 1 AS one',
  ])('is none that reads few: %s', async (sql) => {
    expect(await check(sql, '', 12)).toEqual([]);
  });

  it('is none that cannot be planned with examples', async () => {
    expect(await check("SELECT error('no') FROM nowhere")).toEqual([]);
  });
});
