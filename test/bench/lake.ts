import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { ensureLake } from '../../scripts/test/lake.js';
import type { Database, SqlRequest } from '../../src/ports.ts';
import { type Cost, costPerCall, median, type Row } from './measure.ts';

const ROUNDS = 9;
const CALLS = 20;
const SALES = 100_000;
/** The most time and processor time that a call may take, as a share of a bare one's. */
const BUDGET = 1.15;
const EXTENSIONS = ['httpfs', 'ducklake', 'postgres'];

const SUBJECTS: readonly (readonly [name: string, sql: string])[] = [
  ['point lookup', 'SELECT id, region, amount FROM sales WHERE id = $1'],
  [
    'aggregate',
    'SELECT region, sum(amount) AS total FROM sales WHERE id <> $1 GROUP BY region ORDER BY region',
  ],
];

/**
 * Our native adapter against bare node-api on one DuckLake, whose catalogue is in Postgres and whose files are on a
 * stand-in for S3. Each bare call has a connection of its own too, because temporary objects end with a call.
 */
export async function measureLake(): Promise<readonly Row[]> {
  const { bin, reason } = await ensureLake();
  if (bin === null) throw new Error(`The lake's parts could not be installed: ${reason}`);
  process.env.SVC_TEST_LAKE = bin;
  // The parts read that variable when they are loaded.
  const { startPostgres, startS3, EXTENSIONS: folder, PASSWORD } = await import('../lake/parts.ts');
  const [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  const root = await mkdtemp(join(tmpdir(), 'svc-lake-bench-'));
  const secrets = secretsOf(postgres.port, s3.port, PASSWORD);
  const open = (readonly: boolean): Promise<Database> =>
    openNative({
      path: ':memory:',
      readonly,
      external: true,
      extensions: EXTENSIONS.map((name) => ({ name })),
      extensionDirectory: folder,
      secrets,
      root,
      attach: [{ name: 'lake', uri: URI, data_path: 's3://bucket/lake/', secret: 'pg', readonly }],
      use: 'lake',
    });
  try {
    const writer = await open(false);
    await run(writer, { sql: FILL, values: [], mode: 'write', maxRows: 1 });
    await writer.close();
    const ours = await open(true);
    const bare = await openBare(folder, secrets);
    const rows: Row[] = [];
    for (const [name, sql] of SUBJECTS) rows.push(...(await measureSubject(name, sql, { ours, bare })));
    await ours.close();
    bare.closeSync();
    return rows;
  } finally {
    await Promise.all([postgres.stop(), s3.stop(), rm(root, { recursive: true, force: true })]);
  }
}

const URI = 'ducklake:postgres:dbname=postgres';
const FILL = `CREATE TABLE sales AS SELECT i::INTEGER AS id, 'region ' || i % 40 AS region,
  (hash(i) % 100000 / 100)::DECIMAL(10,2) AS amount FROM range(${SALES}) t(i)`;

type Secrets = NonNullable<Parameters<typeof openNative>[0]['secrets']>;

function secretsOf(postgres: number, s3: number, password: string): Secrets {
  const store = {
    key_id: 'bench',
    secret: 'bench',
    endpoint: `127.0.0.1:${s3}`,
    url_style: 'path',
    use_ssl: false,
    region: 'us-east-1',
  };
  return [
    {
      name: 'pg',
      type: 'postgres',
      parameters: { host: '127.0.0.1', port: postgres, user: 'svc', password },
    },
    { name: 'store', type: 's3', parameters: store },
  ];
}

async function openBare(folder: string, secrets: Secrets): Promise<DuckDBInstance> {
  const { toSecretStatement } = await import('../../adapters/duckdb-native/engine/secrets.ts');
  const instance = await DuckDBInstance.create(':memory:', { extension_directory: folder });
  const connection = await instance.connect();
  for (const name of EXTENSIONS) await connection.run(`LOAD ${name}`);
  for (const secret of secrets) await connection.run(toSecretStatement(secret) ?? '');
  await connection.run(`ATTACH '${URI}' AS lake (READ_ONLY, META_SECRET 'pg')`);
  connection.closeSync();
  return instance;
}

async function run(database: Database, request: SqlRequest): Promise<number> {
  const call = { caller: null, signal: new AbortController().signal, timeoutMs: 120_000 };
  return (await database.run(request, call)).rows.length;
}

async function runBare(connection: DuckDBConnection, sql: string, id: number): Promise<number> {
  const rows = (await connection.runAndReadAll(sql, [id])).getRowObjectsJson();
  return rows.length;
}

interface Sides {
  readonly ours: Database;
  readonly bare: DuckDBInstance;
}

/** Ours and bare in turn, each first as often as second; a round's ratio compares neighbours. */
async function measureSubject(name: string, sql: string, { ours, bare }: Sides): Promise<readonly Row[]> {
  let id = 0;
  const next = () => {
    id = (id + 7919) % SALES;
    return id;
  };
  const checked = (rows: number): void => {
    if (rows === 0) throw new Error(`${name}: no rows`);
  };
  const sides = {
    ours: async () => checked(await run(ours, { sql, values: [next()], mode: 'read', maxRows: 1000 })),
    bare: async () => {
      const connection = await bare.connect();
      await connection.run('USE lake');
      checked(await runBare(connection, sql, next()));
      connection.closeSync();
    },
  };
  const cost = (side: keyof typeof sides) => costPerCall(sides[side], CALLS, ownCpu);
  const rounds: (readonly [ours: Cost, bare: Cost])[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    if (round % 2 === 0) {
      const first = await cost('ours');
      rounds.push([first, await cost('bare')]);
    } else {
      const first = await cost('bare');
      rounds.push([await cost('ours'), first]);
    }
  }
  const warm = rounds.slice(1);
  const row = (what: string, of: (cost: Cost) => number): Row => {
    const ratio = median(warm.map(([left, right]) => of(left) / of(right)));
    const base = median(warm.map(([, right]) => of(right))) / 1000;
    return { what, ours: base * ratio, base, baseName: 'bare node-api', unit: 'ms', budget: BUDGET };
  };
  return [
    row(`${name}, ${SALES / 1000},000 rows`, ({ wall }) => wall),
    row(`CPU: ${name}`, ({ cpu }) => cpu),
  ];
}

async function ownCpu(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return user + system;
}
