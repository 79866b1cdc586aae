import { readFileSync } from 'node:fs';
import { startHttpServer } from '../../../adapters/node/http/server.ts';
import { createApp } from '../../../src/app.ts';
import { createRuntime } from '../../../src/call/runtime.ts';
import { parseManifest, toServedCatalog } from '../../../src/catalog/manifest.ts';
import { LOCAL_ACCESS } from '../../../src/http/access.ts';
import type { Database } from '../../../src/ports.ts';

/* What everything but the database costs: the manifest named in argv, served over a database that has its answer ready. */

const ANSWER = {
  columns: [
    { name: 'id', type: 'INTEGER' },
    { name: 'text', type: 'VARCHAR' },
  ],
  rows: [{ id: 7, text: 'Hello, customer 7' }],
  truncated: false,
};
const database: Database = {
  engine: 'duckdb-wasm',
  readonly: true,
  run: async () => ANSWER,
  prepare: async () => {},
  close: async () => {},
};

const [, , path = ''] = process.argv;
const manifest = parseManifest(readFileSync(path, 'utf8'));
const runtime = createRuntime({
  catalog: toServedCatalog(manifest),
  open: async () => database,
  log: () => {},
});
const { version } = manifest;
const options = {
  runtime: () => runtime,
  version,
  stateless: true,
  log: runtime.log,
  access: () => LOCAL_ACCESS,
};
const server = await startHttpServer({ app: createApp(options), host: '127.0.0.1', port: 0 });
process.stderr.write(`${JSON.stringify({ url: `${server.url}/mcp` })}\n`);
process.once('SIGTERM', () => process.exit(0));
