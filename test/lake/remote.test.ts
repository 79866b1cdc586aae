import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { startPreview } from '../../deploy/preview/preview.ts';
import { read } from '../engine/fixture.ts';
import { rawCall } from '../matrix/raw.ts';
import { Svc, svc } from '../unit/cli/svc.ts';
import { EXTENSIONS, type Part, startS3 } from './parts.ts';

/* `database.path` as an address: a DuckDB file on S3 and on a web server. */

const SLOW = 120_000;
const TOOL = `svc: 1
tool:
  name: total
  description: The sum of all sales.
  source: { code: SELECT sum(x) AS total FROM shop.sales }
  tests:
    - { name: all, arguments: [], result_contains_item: { total: 55 } }
`;

let root: string;
let s3: Part;
let web: Server;
let addresses: { readonly s3: string; readonly https: string };

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-remote-'));
  s3 = await startS3();
  const file = join(root, 'shop.duckdb');
  await runScript(file, 'CREATE TABLE sales AS SELECT i AS x FROM range(11) t(i)');
  await fetch(`http://127.0.0.1:${s3.port}/bucket/shop.duckdb`, { method: 'PUT', body: readFileSync(file) });
  const shop = readFileSync(file);
  web = serve(() => shop);
  addresses = { s3: 's3://bucket/shop.duckdb', https: await addressOf(web) };
}, SLOW);

afterAll(async () => {
  web?.close();
  web?.closeAllConnections();
  await s3?.stop();
  rmSync(root, { recursive: true, force: true });
});

async function addressOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/shop.duckdb`;
}

/** A web server that answers requests for parts of one file, which may change. */
function serve(bytesNow: () => Buffer): Server {
  return createServer((request, response) => {
    const bytes = bytesNow();
    if (!request.url?.startsWith('/shop.duckdb')) return response.writeHead(404).end();
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
    const part = from === undefined ? bytes : bytes.subarray(Number(from), Number(to) + 1);
    const range = { 'content-range': `bytes ${from}-${to}/${bytes.length}` };
    const headers = { 'accept-ranges': 'bytes', 'content-length': part.length };
    response.writeHead(
      from === undefined ? 200 : 206,
      from === undefined ? headers : { ...headers, ...range },
    );
    return response.end(request.method === 'HEAD' ? undefined : part);
  });
}

function project(name: string, path: string, engine = 'auto', more: object = {}): string {
  const folder = join(root, name);
  mkdirSync(join(folder, 'tools'), { recursive: true });
  writeFileSync(join(folder, 'tools/total.yml'), TOOL);
  const database = { path, ...(engine === 'auto' ? {} : { engine }), ...more };
  const site = {
    svc: 1,
    project: 'shop',
    profile: 'default',
    extensions: ['httpfs'],
    profiles: { default: { database } },
    sql_tools: { enabled: 'attach' in more },
  };
  writeFileSync(join(folder, 'svc-site.yml'), JSON.stringify(site));
  const store = {
    name: 'store',
    type: 's3',
    parameters: {
      key_id: 'planted-key',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the user file
      secret: '${STORE_SECRET}',
      endpoint: `127.0.0.1:${s3.port}`,
      url_style: 'path',
      use_ssl: false,
      region: 'us-east-1',
    },
  };
  const user = { svc: 1, projects: { shop: { profiles: { default: { secrets: [store] } } } } };
  writeFileSync(join(root, 'user.yml'), JSON.stringify(user));
  return folder;
}

const ENV = () => ({
  SVC_EXTENSION_DIRECTORY: EXTENSIONS,
  SVC_CONFIG: join(root, 'user.yml'),
  STORE_SECRET: 'planted-secret',
});

describe.each(['s3', 'https'] as const)('a database on %s', (kind) => {
  it(
    'is read by every command and by a native artefact',
    async () => {
      const folder = project(kind, addresses[kind]);
      const ended = async (...args: readonly string[]) => {
        const result = await svc(args, folder, ENV());
        expect(result.stdout + result.stderr).not.toContain('planted');
        expect({ args, ...result }).toEqual({ args, ...result, code: 0 });
        return result.stdout;
      };
      expect(await ended('run', 'tool', 'total', '--json')).toContain('"total":55');
      expect(await ended('query', 'SELECT max(x) AS most FROM sales', '--json')).toContain('"most":10');
      await ended('validate');
      await ended('test');
      expect(await ended('doctor', '--json')).toContain(addresses[kind]);
      await ended('build', '--target', 'node', '--engine', 'native');
      const preview = await startPreview('node', {
        folder: join(folder, 'build/node'),
        root: folder,
        port: 0,
        env: { ...ENV(), SVC_CONFIG_YAML: readFileSync(join(root, 'user.yml'), 'utf8') },
        onLine: () => {},
      });
      expect(await rawCall({ kind: 'http', url: new URL(preview.url) }, 'total')).toContain('"total":55');
      await preview.close();
    },
    SLOW,
  );

  it(
    'that is not there is an error, which names it',
    async () => {
      const missing = addresses[kind].replace('shop.duckdb', 'none.duckdb');
      const folder = project(`${kind}-missing`, missing);
      const { code, stderr, stdout } = await svc(['run', 'tool', 'total'], folder, ENV());
      expect({ code, text: stderr }).toEqual({
        code: 1,
        text: expect.stringContaining(`The database ${missing} cannot be reached: `),
      });
      expect(stdout + stderr).not.toContain('planted');
      expect(await svc(['validate'], folder, ENV())).toMatchObject({ code: 1 });
      expect(await svc(['validate', '--offline'], folder, ENV())).toMatchObject({ code: 0 });
    },
    SLOW,
  );

  it(
    'is what the SQL tools see, also beside an attached database',
    async () => {
      const side = join(root, `side-${kind}.duckdb`);
      await runScript(side, 'CREATE TABLE aside AS SELECT 1 AS n');
      const attach = [{ name: 'side', uri: side }];
      const folder = project(`${kind}-beside`, addresses[kind], 'auto', { attach });
      const server = new Svc(['serve', '--port', '0', '--json'], { cwd: folder, env: ENV() });
      const { url } = JSON.parse((await server.until(/^\{.*"url".*\}$/m))[0]);
      const ask = (name: string, args = {}) => rawCall({ kind: 'http', url: new URL(url) }, name, args);
      expect(await ask('list_tables')).toContain('"name":"sales"');
      expect(await ask('execute_sql_query', { sql: 'SELECT sum(x) AS total FROM sales' })).toContain('55');
      expect(await ask('execute_sql_query', { sql: 'FROM side.aside' })).toContain('uses side');
    },
    SLOW,
  );

  it('is refused by the wasm engine and by targets that have only that, with the way out', async () => {
    const folder = project(kind, addresses[kind]);
    const wasm = await svc(['run', 'tool', 'total'], folder, { ...ENV(), SVC_DATABASE_ENGINE: 'wasm' });
    expect(wasm).toMatchObject({ code: 1, stderr: expect.stringContaining('`engine: native`') });
    const workers = await svc(['validate', '--target', 'cloudflare-workers'], folder, ENV());
    expect(workers.stdout).toContain(`The remote database ${addresses[kind]} cannot be read on`);
    const built = await svc(['build', '--target', 'cloudflare-workers', '--public'], folder, ENV());
    expect(built).toEqual({ ...built, code: 1, stderr: expect.stringContaining('--engine native') });
  });
});

it(
  'a file behind an address is read anew after a reload beside a file open for writing',
  async () => {
    let bytes = Buffer.alloc(0);
    const server = serve(() => bytes);
    const uri = await addressOf(server);
    const open = () =>
      openNative({
        path: join(root, 'own.duckdb'),
        readonly: false,
        external: true,
        extensions: [{ name: 'httpfs' }],
        extensionDirectory: EXTENSIONS,
        attach: [{ name: 'changing', uri }],
      });
    const opened = [];
    for (const n of [1, 2, 3]) {
      await runScript(join(root, `${n}.duckdb`), `CREATE TABLE sales AS SELECT ${n} AS x`);
      bytes = readFileSync(join(root, `${n}.duckdb`));
      opened.push(await open());
      for (const database of opened)
        expect((await read(database, 'SELECT x FROM changing.sales')).rows).toEqual([{ x: n }]);
    }
    bytes = Buffer.from('no database');
    await expect(open()).rejects.toMatchObject({ code: 'database_unavailable' });
    for (const database of opened) {
      expect((await read(database, 'SELECT x FROM changing.sales')).rows).toEqual([{ x: 3 }]);
      await database.close();
    }
    server.close();
    server.closeAllConnections();
  },
  SLOW,
);
