import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { blocksOf } from '../unit/docs/pages.ts';
import { callTotal, INSTALLED, NODES, PACKAGE, Program, workspace } from './installed.ts';

/* The package that would be published, in an empty folder from a package registry. */

const SLOW = 300_000;
const own = join(PACKAGE ?? '', 'project/node_modules/svc-kit');
const WAYS = Object.entries(NODES).flatMap(([node, program]) =>
  Object.entries(INSTALLED).map(([way, command]) => ({ node, way, program, command })),
);

describe.skipIf(PACKAGE === undefined)('the package', () => {
  it('takes at most 60 MB for a server, without a heavy part', () => {
    const { megabytes, packages } = JSON.parse(readFileSync(join(PACKAGE ?? '', 'measures.json'), 'utf8'));
    expect(megabytes).toBeLessThanOrEqual(60);
    expect(packages).toBeLessThanOrEqual(40);
    for (const heavy of ['esbuild', 'pyodide', '@opentelemetry', '@duckdb', 'wrangler', 'typescript']) {
      expect(existsSync(join(own, '..', heavy))).toBe(false);
    }
  });

  it('holds its docs and examples, and neither tests nor source maps', () => {
    const files = readdirSync(own, { recursive: true, encoding: 'utf8' });
    expect(files).toContain('docs/how-to/embed.md');
    // the docs begin with them
    expect(files).toContain('examples/hello/tools/top_products.yml');
    expect(files.filter((file) => /\.map$|\.test\.|^(src|test|scripts)\//.test(file))).toEqual([]);
    const { private: hidden } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
    expect(hidden).toBeUndefined();
  });

  it.each(WAYS)(
    'serves a project on $node, installed $way',
    { timeout: SLOW },
    async ({ program, command }) => {
      const shop = join(await workspace(), 'shop');
      const version = new Program(program, [command, '--version'], shop);
      expect(await version.ended).toBe(0);
      const tested = new Program(program, [command, 'test'], shop);
      expect({ code: await tested.ended, output: tested.output }).toMatchObject({ code: 0 });
      const server = new Program(program, [command, 'serve', '--port', '0'], shop);
      const [, url = ''] = await server.until(/serving .* on (\S+)/);
      expect(await (await callTotal(url)).text()).toContain('"total":7');
    },
  );

  it.each([
    {
      part: 'the bundler',
      args: ['build', '--target', 'node', '--public'],
      text: /`svc build` needs the package esbuild.*\n.*`npm install esbuild@/,
    },
    {
      part: 'the MCP client',
      args: ['call', 'total'],
      text: /needs the package @modelcontextprotocol\/client.*\n.*`npm install @/,
    },
    {
      part: 'the native engine',
      args: ['query', 'SELECT 1'],
      text: /native database engine needs the packages @duckdb\/node-api.*\n.*`npm install @/,
      env: { SVC_DATABASE_ENGINE: 'native' },
    },
    {
      part: 'telemetry',
      args: ['serve', '--port', '0'],
      text: /Telemetry needs the packages @opentelemetry\/api.*\n.*`npm install @/,
      env: { SVC_TELEMETRY_ENABLED: 'true' },
    },
  ])('asks for $part by name', { timeout: SLOW }, async ({ args, text, env = {} }) => {
    const shop = join(await workspace(), 'shop');
    const run = new Program(process.execPath, [INSTALLED['in a project'], ...args], shop, env);
    expect(await run.ended).not.toBe(0);
    expect(run.output).toMatch(text);
  });

  it('says that the SQL was not checked because the native engine is missing, not the seed.sql', {
    timeout: SLOW,
  }, async () => {
    const shop = join(await workspace(), 'shop');
    rmSync(join(shop, 'shop.duckdb'));
    writeFileSync(join(shop, 'seed.sql'), 'CREATE TABLE sales AS SELECT 7 AS amount');
    const run = new Program(process.execPath, [INSTALLED['in a project'], 'validate'], shop);
    expect(await run.ended).toBe(0);
    expect(run.output).toMatch(
      /shop\.duckdb could not be created from seed\.sql: The native database engine needs/,
    );
    expect(run.output).toMatch(/fix: Run `npm install @duckdb\/node-api@/);
  });

  it('names a page of the docs that is there', { timeout: SLOW }, async () => {
    const shop = join(await workspace(), 'shop');
    const run = new Program(
      process.execPath,
      [INSTALLED['in a project'], 'serve', '--host', '0.0.0.0'],
      shop,
    );
    expect(await run.ended).not.toBe(0);
    const page = /\((\S+auth-setup\.md)\)/.exec(run.output)?.[1] ?? '';
    expect(existsSync(join(shop, page)) || existsSync(page)).toBe(true);
  });

  it('runs through npx', { timeout: SLOW }, () => {
    const empty = temporaryFolder();
    const archive = readdirSync(PACKAGE ?? '').find((file) => file.endsWith('.tgz')) ?? '';
    const args = ['--yes', '--package', join(PACKAGE ?? '', archive), 'svc', '--version'];
    expect(execFileSync('npx', args, { cwd: empty, encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('has every entry that the guide names', async () => {
    const { exports } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
    const text = readFileSync('docs/how-to/embed.md', 'utf8');
    expect(blocksOf({ path: 'docs/how-to/embed.md', text }).length).toBeGreaterThan(4);
    const named = new Set(
      Array.from(text.matchAll(/svc-kit(\/[\w-]+)?[`']/g), ([, path = '']) => `.${path}`),
    );
    expect(
      Object.keys(exports)
        .filter((entry) => entry !== './package.json')
        .sort(),
    ).toEqual([...named].sort());
  });
});
