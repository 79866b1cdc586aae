import { readFileSync } from 'node:fs';
import { beforeEach, expect, it, vi } from 'vitest';
import { createWorkerApp } from '../../../../adapters/cloudflare-workers/app.ts';
import { compileEngine } from '../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { catalogOf, exchange, modern, tool } from '../../mcp/fixture.ts';
import { createDatabase } from '../duckdb-wasm/fixture.ts';

const { kept } = vi.hoisted(() => ({ kept: [] as Promise<unknown>[] }));
// A module of the platform.
vi.mock('cloudflare:workers', () => ({ waitUntil: (work: Promise<unknown>) => void kept.push(work) }));

beforeEach(() => void kept.splice(0));

async function createWorker(readDatabase: (path: string) => Promise<Uint8Array>) {
  const path = await createDatabase('CREATE TABLE items AS SELECT 1 AS id');
  const chance = { ...tool('chance', { sql: 'SELECT random() AS chance' }), cache: { ttlMs: 3_600_000 } };
  const manifest = {
    svc: 1,
    version: '1.2.3',
    hash: 'f00d',
    database: { name: 'data' },
    access: { signIn: null, public: true },
    catalog: catalogOf([chance]),
  };
  const app = createWorkerApp({
    ...(await compileEngine()),
    manifest: JSON.stringify(manifest),
    readDatabase: () => readDatabase(path),
    public: true,
    log: () => {},
  });
  return async () => (await exchange(app, modern('tools/call', { name: 'chance' }))).json.result;
}

it('keeps results for the time that an endpoint names, as an artefact does', async () => {
  const ask = await createWorker(async (path) => readFileSync(path));
  const first = await ask();
  expect(first).toMatchObject({ structuredContent: expect.anything() });
  expect(await ask()).toEqual(first);
});

it('opens the database and runs a call to the end, also if its client leaves', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const ask = await createWorker(async (path) => held.then(() => readFileSync(path)));
  const answering = ask();
  await vi.waitFor(() => expect(kept).toHaveLength(1));
  release();
  expect(await answering).toMatchObject({ structuredContent: expect.anything() });
  await Promise.all(kept);
  expect(kept).toHaveLength(2);
});

it('starts anew after an opening that failed, which ends nothing else', async () => {
  const reads = [async () => Promise.reject(new Error('no')), async (path: string) => readFileSync(path)];
  const ask = await createWorker(async (path) => (reads.shift() ?? readFileSync)(path));
  expect(await ask()).toMatchObject({ isError: true });
  await expect(Promise.all(kept)).resolves.toEqual([undefined]);
  expect(await ask()).toMatchObject({ structuredContent: expect.anything() });
});
