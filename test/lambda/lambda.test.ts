import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { ENGINE_VERSION } from '../../adapters/node/database/database-file.ts';
import { startPreview } from '../../deploy/preview/preview.ts';
import { write } from '../engine/fixture.ts';
import { EXTENSIONS, PASSWORD, type Part, type Postgres, startPostgres, startS3 } from '../lake/parts.ts';
import { rawCall } from '../matrix/raw.ts';
import { type Ended, svc } from '../unit/cli/svc.ts';
import { type Emulator, startEmulator } from './emulator.ts';

/* Both Lambda artefacts inside AWS's runtime. The native one answers from a DuckLake in Postgres and S3. */

const SLOW = 240_000;
const NAMES = ['httpfs', 'ducklake', 'postgres'];
const KEY = 'planted-key';
const LAKE = {
  name: 'lake',
  uri: 'ducklake:postgres:dbname=postgres',
  data_path: 's3://bucket/lake/',
  secret: 'pg',
};
const TABLE = `CREATE TABLE sales AS SELECT i AS id, CASE i % 3 WHEN 0 THEN 'north' WHEN 1 THEN 'söuth' END AS region,
  (i * 1.25)::DECIMAL(10,2) AS amount FROM range(500) t(i)`;
const TOOLS = {
  revenue: `svc: 1
tool:
  name: revenue
  description: Revenue by region.
  parameters:
    - { name: least, type: integer, description: The first sale., default: 0 }
  source:
    code: SELECT region, sum(amount) AS revenue FROM sales WHERE id >= $least GROUP BY ALL ORDER BY region
`,
  engine: `svc: 1
tool:
  name: engine
  description: The version of DuckDB.
  source: { code: SELECT version() AS version }
`,
};

let root: string;
let postgres: Postgres;
let s3: Part;
let folders: { readonly wasm: string; readonly native: string };
/** The environment of the function: the references of its user file lead here. */
let variables: { readonly [name: string]: string };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-lambda-lake-'));
  [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  variables = { LAKE_PASSWORD: PASSWORD, LAKE_KEY: KEY, LAKE_SECRET: 'planted-secret' };
  await fillLake();
  folders = { wasm: await createProject('wasm'), native: await createProject('native') };
}, SLOW);

afterAll(async () => {
  await Promise.all([postgres?.stop(), s3?.stop()]);
  await rm(root, { recursive: true, force: true });
});

const CONFIG = ['--config', 'user.yml'];

/** The secrets of the lake; a value is a reference, or what it leads to. */
function secrets(secretOf: (name: string) => string) {
  return [
    {
      name: 'pg',
      type: 'postgres',
      parameters: {
        host: '127.0.0.1',
        port: postgres.port,
        user: 'svc',
        password: secretOf('LAKE_PASSWORD'),
      },
    },
    {
      name: 'store',
      type: 's3',
      parameters: {
        key_id: secretOf('LAKE_KEY'),
        secret: secretOf('LAKE_SECRET'),
        endpoint: `127.0.0.1:${s3.port}`,
        url_style: 'path',
        use_ssl: false,
        region: 'us-east-1',
      },
    },
  ];
}

async function fillLake(): Promise<void> {
  const writer = await openNative({
    path: ':memory:',
    readonly: false,
    external: true,
    extensions: NAMES.map((name) => ({ name })),
    extensionDirectory: EXTENSIONS,
    secrets: secrets((name) => variables[name] ?? ''),
    attach: [{ ...LAKE, readonly: false }],
    use: 'lake',
  });
  await write(writer, TABLE);
  await writer.close();
}

/** A project with the same tools over a bundled file or over the lake. */
async function createProject(engine: 'wasm' | 'native'): Promise<string> {
  const folder = join(root, engine);
  await mkdir(join(folder, 'tools'), { recursive: true });
  for (const [name, text] of Object.entries(TOOLS)) await writeFile(join(folder, `tools/${name}.yml`), text);
  const lake = { database: { path: ':memory:', attach: [LAKE], use: 'lake' } };
  const file = { database: { path: 'shop.duckdb', readonly: true } };
  const site = {
    svc: 1,
    project: 'shop',
    profile: 'default',
    ...(engine === 'native' ? { extensions: NAMES } : {}),
    profiles: { default: engine === 'native' ? lake : file },
  };
  await writeFile(join(folder, 'svc-site.yml'), JSON.stringify(site));
  await writeFile(join(folder, 'seed.sql'), TABLE);
  // biome-ignore lint/style/useTemplate: a reference looks like a template
  const profile = { secrets: secrets((name) => '$' + `{${name}}`) };
  const user = { svc: 1, projects: { shop: { profiles: { default: profile } } } };
  await writeFile(join(folder, 'user.yml'), JSON.stringify(user));
  return folder;
}

async function built(engine: 'wasm' | 'native', ...args: readonly string[]): Promise<Ended> {
  const folder = folders[engine];
  const env = { ...variables, SVC_EXTENSION_DIRECTORY: EXTENSIONS, SVC_CONFIG: join(folder, 'user.yml') };
  const ended = await svc(['build', '--public', ...args], folder, env);
  expect(ended).toEqual({ ...ended, code: 0, signal: null });
  return ended;
}

const packageOf = (engine: 'wasm' | 'native') => join(folders[engine], 'build/aws-lambda/function.zip');

function rowsOf(body: string): unknown {
  const { result } = JSON.parse(body);
  expect(result.isError, JSON.stringify(result)).toBeUndefined();
  const { structuredContent: rows } = result;
  // Clients before 2026-07-28 receive rows in an object.
  return Array.isArray(rows) ? rows : rows.result;
}

it(
  'svc build writes both artefacts',
  async () => {
    await built('wasm', '--target', 'aws-lambda');
    await built('native', '--target', 'aws-lambda', '--engine', 'native', '--arch', 'x86_64', ...CONFIG);
  },
  SLOW,
);

describe.each(['wasm', 'native'] as const)('the %s artefact inside the runtime of AWS', (engine) => {
  it.each(['buffered', 'stream'])('answers, %s', async (response) => {
    const environment = engine === 'native' ? variables : {};
    const home = join(root, 'home');
    const options = { ...environment, HOME: home, SVC_LAMBDA_RESPONSE: response };
    const lambda = await startEmulator(packageOf(engine), options);
    const answer = await lambda.call('revenue', { least: 490 });
    expect(answer).toMatchObject({ status: 200, streamed: response === 'stream' });
    expect(rowsOf(answer.body)).toEqual(REVENUE);
    const version = await lambda.call('engine');
    expect(rowsOf(version.body)).toEqual([{ version: `v${ENGINE_VERSION}` }]);
    expect(lambda.log.join('\n')).not.toContain('planted');
    await lambda.close();
    // Nothing was installed at run time.
    expect(existsSync(home)).toBe(false);
  });
});

/** The sales from 490 on. */
const REVENUE = [
  { region: 'north', revenue: 1856.25 },
  { region: 'söuth', revenue: 2472.5 },
  { region: null, revenue: 1852.5 },
];

describe('the native artefact over a lake', () => {
  it('contains the driver and the signed extensions, and no secret', async () => {
    const files = unzipSync(await readFile(packageOf('native')));
    const extension = (name: string) => `extensions/v${ENGINE_VERSION}/linux_amd64/${name}.duckdb_extension`;
    expect(Object.keys(files).toSorted()).toEqual([
      'THIRD-PARTY-LICENSES.txt',
      'config.yml',
      ...['ducklake', 'httpfs', 'postgres_scanner'].map(extension),
      'index.mjs',
      'manifest.json',
      'native/duckdb.node',
      'native/libduckdb.so',
      'sbom.cdx.json',
    ]);
    const texts = Object.entries(files).filter(([path]) => !/\.(so|node|duckdb_extension)$/.test(path));
    for (const [path, bytes] of texts) expect(Buffer.from(bytes).includes('planted'), path).toBe(false);
    const unpacked = Object.values(files).reduce((sum, bytes) => sum + bytes.length, 0);
    expect(unpacked).toBeLessThan(250 * 1_048_576);
    expect((await stat(packageOf('native'))).size).toBeLessThan(unpacked / 2);
  });

  it('names the licence of each extension', async () => {
    const files = unzipSync(await readFile(packageOf('native')));
    const textOf = (path: string) => Buffer.from(files[path] ?? []).toString('utf8');
    const components: readonly { readonly name: string; readonly licenses?: unknown }[] = JSON.parse(
      textOf('sbom.cdx.json'),
    ).components;
    const extensions = components.filter(({ name }) => name.startsWith('duckdb-extension-'));
    expect(extensions.map(({ licenses }) => licenses)).toEqual(
      Array.from({ length: 3 }, () => [{ license: { id: 'MIT' } }]),
    );
    const section = textOf('THIRD-PARTY-LICENSES.txt')
      .split(/={100}\n/)
      .findIndex((text) => extensions.every(({ name }) => text.includes(`${name}@${ENGINE_VERSION} (MIT)`)));
    expect(textOf('THIRD-PARTY-LICENSES.txt').split(/={100}\n/)[section + 1]).toContain('DuckDB');
  });

  it('refuses to serve while a reference leads nowhere, and names it in its log alone', async () => {
    const { LAKE_PASSWORD: _, ...others } = variables;
    const lambda = await startEmulator(packageOf('native'), { ...others, SVC_LAMBDA_RESPONSE: 'buffered' });
    const { status, body } = await lambda.call('revenue');
    expect(status).toBe(503);
    expect(body).not.toContain('LAKE_PASSWORD');
    expect(lambda.log.join('\n')).toContain('LAKE_PASSWORD');
    await lambda.close();
  });

  it('sees what another process has written, and connects again after Postgres was away', async () => {
    const lambda = await startEmulator(packageOf('native'), {
      ...variables,
      SVC_LAMBDA_RESPONSE: 'buffered',
    });
    const total = async (emulator: Emulator) => JSON.parse((await emulator.call('revenue')).body).result;
    expect(await total(lambda)).not.toHaveProperty('isError');
    await postgres.kill();
    expect(await total(lambda)).toMatchObject({ isError: true });
    await postgres.start();
    await expect.poll(async () => 'isError' in (await total(lambda))).toBe(false);
    await lambda.close();
  });

  it(
    'runs as a Node artefact and in a preview, too',
    async () => {
      await built('native', '--target', 'node', '--engine', 'native', ...CONFIG);
      const options = { port: 0, root: folders.native, env: { ...variables }, onLine: () => {} };
      for (const target of ['node', 'aws-lambda'] as const) {
        const folder = join(folders.native, 'build', target);
        const preview = await startPreview(target, { ...options, folder });
        const reach = { kind: 'http', url: new URL(preview.url) } as const;
        expect(rowsOf(await rawCall(reach, 'revenue', { least: 490 }))).toEqual(REVENUE);
        await preview.close();
      }
    },
    SLOW,
  );
});
