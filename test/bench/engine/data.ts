import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';

/** A database of sales, and what it is on disk. */
export interface Sales {
  readonly path: string;
  readonly rows: number;
  readonly mb: number;
  remove(): Promise<void>;
}

/** Numbers that only look random: the same file every time. */
const SCRIPT = `
CREATE TABLE customers AS SELECT i::INTEGER AS id, 'customer ' || i AS name, 'country ' || i % 40 AS country
  FROM range(10000) t(i);
CREATE TABLE sales AS SELECT i::INTEGER AS id, (hash(i) % 10000)::INTEGER AS customer,
  'product ' || hash(i + 1) % 5000 AS product, (hash(i + 2) % 100000 / 100)::DECIMAL(10,2) AS amount,
  (hash(i + 3) % 10)::INTEGER AS quantity, TIMESTAMP '2024-01-01' + INTERVAL (i) SECOND AS sold_at,
  'note ' || hash(i + 4) % 1000000 || ' of sale' AS note
  FROM range({rows}) t(i);
`;

/** Makes the database with the native engine, as `svc build` does. */
export async function createSales(rows: number): Promise<Sales> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sales-'));
  const path = join(folder, 'sales.duckdb');
  await runScript(path, SCRIPT.replace('{rows}', String(rows)));
  const { size } = await stat(path);
  return { path, rows, mb: size / 1e6, remove: () => rm(folder, { recursive: true }) };
}

/** Heavy statements, by what is heavy about them; each answers a few rows. */
export const HEAVY: Readonly<Record<string, string>> = {
  aggregate:
    'SELECT count(*) AS n, sum(amount) AS total, avg(quantity) AS mean, max(sold_at) AS last FROM sales',
  'group by number':
    'SELECT customer, sum(amount) AS total FROM sales GROUP BY customer ORDER BY total DESC LIMIT 10',
  'group by string':
    'SELECT product, count(*) AS n, sum(quantity) AS total FROM sales GROUP BY product ORDER BY n DESC, product LIMIT 10',
  join: 'SELECT country, sum(amount) AS total FROM sales JOIN customers ON customers.id = customer GROUP BY country ORDER BY country',
  window:
    'SELECT max(running) AS most FROM (SELECT sum(amount) OVER (PARTITION BY customer ORDER BY id) AS running FROM sales)',
  LIKE: "SELECT count(*) AS n FROM sales WHERE note LIKE '%99%sale'",
  'top 10': 'SELECT id, amount, note FROM sales ORDER BY amount DESC, id LIMIT 10',
};

/** Ten thousand rows of every column, decoded. */
export const ROWS = 'SELECT * FROM sales WHERE id < 10000';

/** One row by its number. */
export function pointLookup(id: number): string {
  return `SELECT id, amount, note FROM sales WHERE id = ${id}`;
}
