import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadDriver } from '../../adapters/duckdb-native/driver/driver.ts';

const PROJECT = fileURLToPath(new URL('./project', import.meta.url));

const TABLES = `
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR, country VARCHAR, balance DECIMAL(12,2));
INSERT INTO customers VALUES
  (1, 'Ada', 'DE', 1200.50), (2, 'Blaise', 'FR', -3.10), (3, 'Chiyo', 'JP', 99999999.99), (4, 'Dora', 'DE', NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, amount DECIMAL(12,2), placed_on DATE);
INSERT INTO orders
  SELECT i, 1 + i % 4, (i * 7 % 1000) / 4.0, DATE '2025-01-01' + i::INTEGER % 365 FROM range(2000) t(i);
-- as dbt makes views: they name the catalog, which is called like the project's file
CREATE VIEW placed AS SELECT * FROM matrix.main.orders;
CREATE TABLE samples (
  row_number INTEGER, text VARCHAR, whole INTEGER, safe BIGINT, big BIGINT, huge HUGEINT, money DECIMAL(18,2),
  wide DECIMAL(38,10), real DOUBLE, yes BOOLEAN, day DATE, clock TIME, moment TIMESTAMP, zoned TIMESTAMPTZ);
INSERT INTO samples VALUES
  (1, 'Zoë "東京" ''x''', -42, 9007199254740991, 9223372036854775807, -170141183460469231731687303715884105727, 12345.60,
   1234567890123456789.0123456789, 0.1, true, '2024-02-29', '23:59:59.5', '2024-02-29 12:34:56.789012',
   '2024-02-29 12:34:56.789+02'),
  (2, '', 0, -9007199254740993, -9223372036854775808, 0, -0.05, 0, -1e300, false, '0001-01-01', '00:00:00',
   '1969-12-31 23:59:59.999999', '1970-01-01 00:00:00+00'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CHECKPOINT;`;

/** A copy of the matrix project with its database, in a folder of its own. */
export async function createProject(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'svc-matrix-'));
  await cp(PROJECT, root, { recursive: true });
  await mkdir(join(root, 'data'));
  const { openInstance } = await loadDriver();
  const instance = await openInstance(join(root, 'data/matrix.duckdb'));
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run(TABLES);
  connection.closeSync();
  instance.closeSync();
  return root;
}
