import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';
import { buildTarget } from '../../../../../deploy/build.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';

const SITE = `svc: 1
project: shop
profile: default
profiles: { default: { database: { path: shop.duckdb } } }
`;
const TOOL = 'svc: 1\ntool: { name: one, description: One., source: { code: "SELECT 1 AS one" } }\n';

let root: string;
let out: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-program-'));
  await mkdir(join(root, 'tools'));
  await writeFile(join(root, 'svc-site.yml'), SITE);
  await writeFile(join(root, 'tools/one.yml'), TOOL);
  await runScript(join(root, 'shop.duckdb'), 'CREATE TABLE sales AS SELECT 7 AS amount');
  ({ out } = await buildTarget({ root, public: true, target: 'node' }));
});
afterAll(() => rm(root, { recursive: true }));

type Environment = Readonly<Record<string, string>>;

/** Runs the program of the artefact to its end. */
function end(args: readonly string[], env: Environment = {}, folder = out): SpawnSyncReturns<string> {
  const all = { ...process.env, PORT: '0', ...env };
  return spawnSync(process.execPath, [join(folder, 'index.js'), ...args], {
    env: all,
    encoding: 'utf8',
    timeout: 30_000,
  });
}

test.each([[['--help']], [['--host', '127.0.0.1', '--port', '9']], [['--stdio', 'state', 'more']]])(
  'arguments that the program does not know end it: %j',
  (args) => {
    const { status, stderr } = end(args);
    expect([status, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(JSON.parse(stderr).message).toContain(`got ${args.join(' ')}. Set HOST and PORT`);
  },
);

test('an address that cannot be used is an error that names HOST, which chooses it', () => {
  const { status, stderr } = end([], { HOST: '192.0.2.1' });
  expect([status, JSON.parse(stderr).message]).toEqual([
    1,
    expect.stringMatching(/no such address. Choose another with HOST/),
  ]);
});

test('HOST may be an IPv6 address as it is written in a URL', async () => {
  const env = { ...process.env, PORT: '0', HOST: '[::1]' };
  const child = spawn(process.execPath, [join(out, 'index.js')], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stderr })) {
    const { url } = JSON.parse(line);
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/mcp$/);
    break;
  }
});

test.each([
  ['duckdb.wasm', /duckdb\.wasm is in none of .* Copy all files of the artefact/],
  ['data.duckdb', /no database file at .*data\.duckdb\. .* Copy an artefact with all of its files/],
])('%s that was not copied with the artefact is an error that says so', async (file, text) => {
  const copy = join(temporaryFolder(), 'copy');
  await cp(out, copy, { recursive: true });
  await rm(join(copy, file));
  const { status, stderr } = end([], {}, copy);
  expect([status, JSON.parse(stderr).message]).toEqual([1, expect.stringMatching(text)]);
});
