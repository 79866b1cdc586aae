import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openApp } from '../../../../adapters/node/open-app.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { exchange, modern } from '../../mcp/fixture.ts';

const PROJECT = {
  'svc-site.yml':
    'svc: 1\nproject: demo\nprofile: default\nprofiles:\n  default:\n    database: { path: data.duckdb, readonly: false }\n',
  'seed.sql': 'CREATE TABLE items AS SELECT 1 AS id;',
  'tools/chance.yml':
    'svc: 1\ntool:\n  name: chance\n  description: d\n  cache: { ttl: 1h }\n  source: { code: "SELECT random() AS chance" }\n',
};

it('keeps results for the time that an endpoint names, as a server does', async () => {
  const root = temporaryFolder();
  for (const [name, text] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const app = await openApp(root, { public: true, log: () => {} });
  onTestFinished(() => app.close());
  const ask = async () =>
    (await exchange(app, modern('tools/call', { name: 'chance', arguments: {} }))).json.result;
  const first = await ask();
  expect(first).toMatchObject({ structuredContent: expect.anything() });
  expect(await ask()).toEqual(first);
});
