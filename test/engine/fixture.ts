import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import type { SvcError } from '../../src/errors.ts';
import type { JsonValue } from '../../src/json.ts';
import type { Database, SqlCall, SqlCaller, SqlResult } from '../../src/ports.ts';
import type { SqlValue } from '../../src/sql-value.ts';

/** A folder with a filled database, a file that is none, and a name that is not there. */
export interface Fixture {
  readonly folder: string;
  readonly shop: string;
  readonly broken: string;
  readonly missing: string;
}

const SHOP = `
CREATE TABLE items (id INTEGER PRIMARY KEY, name VARCHAR, price DECIMAL(10,2), owner VARCHAR);
INSERT INTO items SELECT i, 'item ' || i, i * 0.25, 'user ' || i % 50 FROM range(2000) t(i);
CREATE SEQUENCE numbers;
`;

/** Builds the databases with the native engine, as `svc build` does. */
export async function createFixture(): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-'));
  const fixture = {
    folder,
    shop: join(folder, 'shop.duckdb'),
    broken: join(folder, 'broken.duckdb'),
    missing: join(folder, 'missing.duckdb'),
  };
  await runScript(fixture.shop, SHOP);
  await writeFile(fixture.broken, 'this is no database '.repeat(1000));
  const database = await openNative({ path: fixture.shop, readonly: false });
  await write(
    database,
    'CREATE VIEW mine AS SELECT count(*) AS n, any_value(owner) AS owner FROM items WHERE owner = get_username()',
  );
  await database.close();
  return fixture;
}

export function removeFixture({ folder }: Fixture): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** A folder for files of one test file. */
export interface Folder {
  file(name: string): string;
  remove(): Promise<void>;
}

export async function temporaryFolder(): Promise<Folder> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-'));
  return {
    file: (name) => join(folder, name),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The circumstances of a call that nothing troubles. */
export function callOf(changes: Partial<SqlCall> = {}): SqlCall {
  return { caller: null, signal: new AbortController().signal, timeoutMs: 15_000, ...changes };
}

export function read(
  database: Database,
  sql: string,
  values: readonly SqlValue[] = [],
  call: Partial<SqlCall> = {},
): Promise<SqlResult> {
  return database.run({ sql, values, mode: 'read', maxRows: 100 }, callOf(call));
}

export function write(
  database: Database,
  sql: string,
  values: readonly SqlValue[] = [],
  call: Partial<SqlCall> = {},
): Promise<SqlResult> {
  return database.run({ sql, values, mode: 'write', maxRows: 100 }, callOf(call));
}

/** The one value of a query. */
export async function answerOf(
  database: Database,
  expression: string,
  values: readonly SqlValue[] = [],
  call: Partial<SqlCall> = {},
): Promise<JsonValue> {
  const { rows, columns } = await read(database, `SELECT ${expression}`, values, call);
  return rows[0]?.[columns[0]?.name ?? ''] ?? null;
}

/** The error of something that must fail. */
export async function errorOf(work: Promise<unknown>): Promise<SvcError> {
  return work.then(
    (value) => {
      throw new Error(`it succeeded: ${JSON.stringify(value)}`);
    },
    (thrown: SvcError) => thrown,
  );
}

export function callerOf(index: number): SqlCaller {
  return {
    externalToken: `token ${index}`,
    username: `user ${index}`,
    provider: index % 2 === 0 ? 'github' : 'google',
    email: `user${index}@example.com`,
    headers: new Map([
      ['x-number', String(index)],
      ['user-agent', 'it\'s \u0000 "quoted"'],
    ]),
  };
}
