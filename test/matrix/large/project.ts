import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadDriver } from '../../../adapters/duckdb-native/driver/driver.ts';
import type { Database } from '../../../src/ports.ts';

/** 26 bytes a row: about 78 MB by default, 1 GB with 40,000,000. */
export const ROWS = Number(process.env.SVC_TEST_EDGE_ROWS ?? 3_000_000);

const SALES = `CREATE TABLE sales AS
  SELECT i AS id, TIMESTAMP '2020-01-01' + to_seconds(i * 3) AS ts, (hash(i) % 50000)::INTEGER AS customer,
    (hash(i + 1) % 100000000) / 100 AS amount, ['new', 'paid', 'sent', 'back'][1 + (hash(i + 2) % 4)::INTEGER] AS status,
    'note ' || (i // 1000) AS note, (hash(i + 3) % 300)::SMALLINT AS shop,
    hash(i + 4) AS reference, hash(i + 5) AS weight
  FROM range(${ROWS}) t(i)`;

/** One sale; a sum of all sales that is over its time, and one that is over its bytes. */
const TOOLS = {
  sale: `svc: 1
tool:
  name: sale
  description: One sale by its number.
  parameters:
    - { name: id, type: integer, description: The sale's number. }
  return: { type: array }
  source:
    code: SELECT id, customer, amount, status, note, shop FROM sales WHERE id = $id
`,
  hurried: `svc: 1
tool:
  name: hurried
  description: A sum of all sales that must come at once.
  limits: { timeout: 0.02 }
  source: { code: "SELECT round(sum(amount)) AS total, max(reference) AS last FROM sales" }
`,
  narrow: `svc: 1
tool:
  name: narrow
  description: A sum of all sales that may read three blocks.
  limits: { scan_bytes: 786432 }
  source: { code: "SELECT round(sum(amount)) AS total, max(reference) AS a, max(weight) AS b, max(ts) AS c, max(id) AS d FROM sales" }
`,
};

/** The site of the project, which lets callers write SQL and records each call. */
const SITE = `svc: 1
project: large
profile: default
sql_tools: { enabled: true }
profiles:
  default:
    database: { path: data/large.duckdb, readonly: true }
    audit: { enabled: true }
`;

/** Makes a project with a large database below build/, or keeps the one that is there. Returns its folder. */
export async function createLargeProject(): Promise<string> {
  const root = join(import.meta.dirname, '../../../build/large', String(ROWS));
  const path = join(root, 'data/large.duckdb');
  await mkdir(join(root, 'tools'), { recursive: true });
  await writeFile(join(root, 'svc-site.yml'), SITE);
  for (const [name, tool] of Object.entries(TOOLS)) await writeFile(join(root, `tools/${name}.yml`), tool);
  if (existsSync(path)) return root;
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await rm(unfinished, { force: true });
  const { openInstance } = await loadDriver();
  const instance = await openInstance(unfinished);
  const connection = await instance.connect();
  await connection.run(SALES);
  await connection.run('CHECKPOINT');
  connection.closeSync();
  instance.closeSync();
  await rename(unfinished, path);
  return root;
}

/** Whole numbers below a limit, the same ones for the same seed. */
export function randomly(seed: number): (limit: number) => number {
  let last = seed;
  return (limit) => {
    last = (last * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((last / 2 ** 31) * limit);
  };
}

/** The rows of a statement. */
export async function rowsOf(database: Database, sql: string): Promise<unknown> {
  const call = { caller: null, signal: new AbortController().signal, timeoutMs: 3_600_000 };
  return (await database.run({ sql, values: [], mode: 'read', maxRows: 1000 }, call)).rows;
}

/** The statements of a run, the same ones for the same seed. */
export function statements(count: number, seed = 7): readonly string[] {
  const upTo = randomly(seed);
  const kinds: readonly (() => string)[] = [
    () => `SELECT * FROM sales WHERE id = ${upTo(ROWS)}`,
    () => `SELECT id, amount FROM sales WHERE id BETWEEN ${upTo(ROWS)} AND ${upTo(ROWS)} ORDER BY id LIMIT 5`,
    () => {
      const from = upTo(ROWS);
      return `SELECT count(*) AS n, round(sum(amount)) AS s, min(note) AS m FROM sales WHERE id BETWEEN ${from} AND ${from + upTo(20_000)}`;
    },
    () => {
      const from = upTo(ROWS);
      return `SELECT status, count(*) AS n FROM sales WHERE id BETWEEN ${from} AND ${from + upTo(50_000)} GROUP BY status ORDER BY status`;
    },
    () => {
      const from = upTo(ROWS);
      return `SELECT id, customer FROM sales WHERE id > ${from} AND id < ${from + 5000} ORDER BY amount DESC, id LIMIT 7`;
    },
    () =>
      `SELECT a.id, b.status FROM sales a JOIN sales b ON b.id = a.id + 1 WHERE a.id IN (${upTo(ROWS)}, ${upTo(ROWS)}) ORDER BY ALL`,
    () => `SELECT max(note) AS m FROM sales WHERE id IN (${upTo(ROWS)}, ${upTo(ROWS)}, ${upTo(ROWS)})`,
  ];
  const scans: readonly (() => string)[] = [
    () => 'SELECT count(*) AS n FROM sales',
    () => `SELECT count(*) AS n FROM sales WHERE shop = ${upTo(300)}`,
    () => `SELECT shop, count(*) AS n FROM sales GROUP BY shop ORDER BY shop LIMIT ${1 + upTo(20)}`,
  ];
  return Array.from({ length: count }, (_, index) => {
    const from = index % 20 === 19 ? scans : kinds;
    return from[upTo(from.length)]?.() ?? '';
  });
}
