import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { lockdown } from '../../../adapters/duckdb-wasm/engine/open-database.ts';
import { buildTarget } from '../../../deploy/build.ts';
import type { BuildOptions } from '../../../deploy/build-options.ts';
import { thisArchitecture } from '../../../deploy/native/architecture.ts';
import type { Database } from '../../../src/ports.ts';
import { read } from '../adapters/duckdb-wasm/fixture.ts';

const ASK = "SELECT current_setting('memory_limit') AS allowed";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-memory-'));
  await mkdir(join(root, 'tools'));
  await writeFile(
    join(root, 'tools/allowed.yml'),
    `svc: 1\ntool: { name: allowed, description: The limit., source: { code: "${ASK}" } }\n`,
  );
  await runScript(join(root, 'shop.duckdb'), 'CREATE TABLE sales AS SELECT 1 AS x');
});
afterAll(() => rm(root, { recursive: true }));

/** Builds with a limit of the profile. Returns the folder, and the limit of the engine that checked the statements. */
async function build(limit: string | null, options: Pick<BuildOptions, 'target'> & Partial<BuildOptions>) {
  const more = limit === null ? '' : `, memory_limit: ${limit}`;
  await writeFile(
    join(root, 'svc-site.yml'),
    `svc: 1\nproject: shop\nprofile: default\nprofiles: { default: { database: { path: shop.duckdb${more} } } }\n`,
  );
  let checked = '';
  const inspect = async (database: Database) => {
    checked = String((await read(database, ASK)).rows[0]?.allowed);
    return [];
  };
  const { out } = await buildTarget({ root, public: true, inspect, ...options });
  return { out, checked };
}

/** The limit of the engine of a Node artefact that runs. */
async function servedBy(out: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const args = [join(out, 'index.js'), '--stdio'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  const { structuredContent } = await client.callTool({ name: 'allowed', arguments: {} });
  await client.close();
  return JSON.stringify(structuredContent);
}

/** The limit as DuckDB shows it, of a wasm engine with so much memory. */
function shown(memoryMb: number): string {
  const [, megabytes = ''] = /'(\d+)MB'/.exec(lockdown(memoryMb)[0] ?? '') ?? [];
  return `${(Math.floor((Number(megabytes) * 10_000_000) / 1_048_576) / 10).toFixed(1)} MiB`;
}

test('a Node artefact has the memory limit of the profile, and SVC_DATABASE_MEMORY_LIMIT at its start', async () => {
  const limited = await build('100MB', { target: 'node' });
  expect(limited.checked).toBe(shown(100));
  expect(await servedBy(limited.out)).toContain(shown(100));
  expect(await servedBy(limited.out, { SVC_DATABASE_MEMORY_LIMIT: '200' })).toContain(shown(200));
});

test('a Node artefact has 512 MB without a limit of the profile', async () => {
  const usual = await build(null, { target: 'node' });
  expect(usual.checked).toBe(shown(512));
  expect(await servedBy(usual.out)).toContain(shown(512));
});

test('a profile with more than the wasm engine can take has as much as it can', async () => {
  expect((await build('16GB', { target: 'node' })).checked).toBe('1.6 GiB');
});

/** The limit of the engine of a Lambda artefact that answers. */
function answeredBy(out: string, env: Readonly<Record<string, string>>): string {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'allowed', arguments: {} } };
  const domainName = 'abc.lambda-url.eu-central-1.on.aws';
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const http = { method: 'POST', sourceIp: '127.0.0.1' };
  const event = {
    version: '2.0',
    rawPath: '/mcp',
    rawQueryString: '',
    headers: { host: domainName, ...headers },
    requestContext: { domainName, stage: '$default', http },
    body: JSON.stringify(request),
  };
  const program = `const { handler } = await import(${JSON.stringify(pathToFileURL(join(out, 'index.mjs')).href)});
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 30_000 };
    console.log((await handler(${JSON.stringify(event)}, context)).body);`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...env, SVC_PUBLIC: 'true', SVC_LAMBDA_RESPONSE: 'buffered' },
    encoding: 'utf8',
  });
}

test('a Lambda artefact has the limit too, within the memory of the function', async () => {
  const { out, checked } = await build('100MB', { target: 'aws-lambda' });
  expect(checked).toBe(shown(100));
  const size = { AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1769' };
  expect(answeredBy(out, size)).toContain(shown(100));
  expect(answeredBy(out, { ...size, SVC_DATABASE_MEMORY_LIMIT: '1000' })).toContain(shown(1000));
  expect(answeredBy(out, { ...size, SVC_DATABASE_MEMORY_LIMIT: '2GB' })).toContain(shown(1061));
});

test.each([
  [null, { target: 'aws-lambda' }, 64],
  [null, { target: 'node', store: 's3://bucket/shop' }, 256],
  ['100MB', { target: 'node', store: 's3://bucket/shop' }, 100],
  ['100MB', { target: 'cloudflare-workers' }, 64],
] as const)('with the limit %s, %j has %i MB', async (limit, options, megabytes) => {
  expect((await build(limit, options)).checked).toBe(shown(megabytes));
});

test('the native engine of an artefact has the same limits', async () => {
  const native = { target: 'node', engine: 'native', arch: thisArchitecture() } as const;
  const { out, checked } = await build('100MB', native);
  expect(checked).toBe('100.0 MiB');
  expect(await servedBy(out)).toContain('100.0 MiB');
  expect(await servedBy(out, { SVC_DATABASE_MEMORY_LIMIT: '200MB' })).toContain('200.0 MiB');
});
