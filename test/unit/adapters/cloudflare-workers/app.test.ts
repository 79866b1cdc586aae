import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createWorkerApp } from '../../../../adapters/cloudflare-workers/app.ts';
import { compileEngine } from '../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { catalogOf, exchange, modern, tool } from '../../mcp/fixture.ts';
import { createDatabase } from '../duckdb-wasm/fixture.ts';

it('keeps results for the time that an endpoint names, as an artefact does', async () => {
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
    readDatabase: async () => readFileSync(path),
    public: true,
    log: () => {},
  });
  const ask = async () => (await exchange(app, modern('tools/call', { name: 'chance' }))).json.result;
  const first = await ask();
  expect(first).toMatchObject({ structuredContent: expect.anything() });
  expect(await ask()).toEqual(first);
});
