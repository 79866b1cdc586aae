import { cp, mkdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Artefacts, createArtefacts } from './artefacts.ts';
import { rawCall } from './raw.ts';
import { type RunningWorker, startWorker } from './worker.ts';

let artefacts: Artefacts;
let folder: string;
let worker: RunningWorker;

beforeAll(async () => {
  artefacts = await createArtefacts();
  folder = (await artefacts.get('cloudflare-workers')).out;
  worker = await startWorker(folder);
});
afterAll(async () => {
  await worker.close();
  await artefacts.remove();
});

const call = ({ url }: RunningWorker) => rawCall({ kind: 'http', url: new URL('mcp', url) }, 'hello');

interface Got {
  readonly status: number;
  readonly bytes: Buffer;
}

/** A request whose path goes out exactly as it is written. */
function get(url: URL, path: string, method: string): Promise<Got> {
  const headers = { 'sec-fetch-mode': 'navigate', accept: 'text/html,*/*' };
  return new Promise((resolve, reject) => {
    const sent = request({ host: url.hostname, port: url.port, path, method, headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, bytes: await buffer(response) });
    });
    sent.once('error', reject);
    sent.end();
  });
}

const SPELLINGS = [
  '/data.duckdb',
  '/data.duckdb/',
  '/data.duckdb?x=1',
  '/assets/data.duckdb',
  '//data.duckdb',
  '/./data.duckdb',
  '/mcp/../data.duckdb',
  '/mcp/%2e%2e/data.duckdb',
  '/%64ata.duckdb',
  '/data%2Educkdb',
  '/data.duckdb%00',
  '/DATA.DUCKDB',
  '/data',
  '/index.html',
  '/manifest.json',
  '/duckdb.wasm',
  '/_headers',
];

test('twenty clients that come first at the same time are answered, though one with them leaves', async () => {
  const leaving = new AbortController();
  const left = fetch(new URL('mcp', worker.url), { method: 'POST', body: '{}', signal: leaving.signal });
  const calls = Promise.all(Array.from({ length: 20 }, () => call(worker)));
  leaving.abort();
  await left.catch(() => null);
  const answers = await calls;
  expect(new Set(answers).size).toBe(1);
  expect(JSON.parse(answers[0] ?? '').result.isError).toBeUndefined();
});

test('nobody can download the database, however the path is spelt', async () => {
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
    for (const path of SPELLINGS) {
      const { status, bytes } = await get(worker.url, path, method);
      expect(status, `${method} ${path}`).toBe(404);
      expect(bytes.length, `${method} ${path}`).toBeLessThan(5000);
      expect(bytes.includes('DUCK'), `${method} ${path}`).toBe(false);
    }
  }
});

test('a database that cannot be opened is an error for the call, and the server stays up', async () => {
  const broken = join(artefacts.root, 'broken');
  await cp(folder, broken, { recursive: true });
  await rm(join(broken, 'assets/data.duckdb'));
  await mkdir(join(broken, 'assets/empty'), { recursive: true });
  const crippled = await startWorker(broken);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { result } = JSON.parse(await call(crippled));
    expect(result.isError).toBe(true);
    expect(result.content[0].text).not.toMatch(/asset|duckdb/i);
  }
  expect((await fetch(new URL('ready', crippled.url))).status).toBe(503);
  expect((await fetch(new URL('health', crippled.url))).status).toBe(200);
  await crippled.close();
});
