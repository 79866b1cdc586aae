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

beforeAll(async () => {
  artefacts = await createArtefacts();
  folder = (await artefacts.get('cloudflare-workers')).out;
});
afterAll(() => artefacts.remove());

async function withWorker(run: (worker: RunningWorker) => Promise<void>, from = folder): Promise<void> {
  const worker = await startWorker(from);
  try {
    await run(worker);
  } finally {
    await worker.close();
  }
}

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
  '/',
  '/index.html',
  '/manifest.json',
  '/duckdb.wasm',
  '/_headers',
];

test('nobody can download the database, however the path is spelt', async () => {
  await withWorker(async (worker) => {
    expect(JSON.parse(await call(worker))).toHaveProperty('result');
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
      for (const path of SPELLINGS) {
        const { status, bytes } = await get(worker.url, path, method);
        expect(status, `${method} ${path}`).toBe(404);
        expect(bytes.length, `${method} ${path}`).toBeLessThan(1000);
        expect(bytes.includes('DUCK'), `${method} ${path}`).toBe(false);
      }
    }
  });
});

test('twenty clients that come first at the same time are all answered', async () => {
  await withWorker(async (worker) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(worker)));
    expect(new Set(answers).size).toBe(1);
    expect(JSON.parse(answers[0] ?? '').result.isError).toBeUndefined();
  });
});

test('a client that leaves during the first request does not take the database along', async () => {
  await withWorker(async (worker) => {
    const leaving = request(new URL('mcp', worker.url), { method: 'POST' });
    leaving.once('error', () => {});
    leaving.write('{"jsonrpc":"2.0",');
    const health = await fetch(new URL('health', worker.url));
    expect(health.status).toBe(200);
    leaving.destroy();
    expect(JSON.parse(await call(worker))).toHaveProperty('result');
  });
});

test('a database that cannot be opened is an error for the call, and the server stays up', async () => {
  const broken = join(artefacts.root, 'broken');
  await cp(folder, broken, { recursive: true });
  await rm(join(broken, 'assets/data.duckdb'));
  await mkdir(join(broken, 'assets/empty'), { recursive: true });
  await withWorker(async (worker) => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { result } = JSON.parse(await call(worker));
      expect(result.isError).toBe(true);
      expect(result.content[0].text).not.toMatch(/asset|duckdb/i);
    }
    expect((await fetch(new URL('ready', worker.url))).status).toBe(503);
    expect((await fetch(new URL('health', worker.url))).status).toBe(200);
  }, broken);
});
