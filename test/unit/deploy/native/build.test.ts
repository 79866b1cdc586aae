import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../../../adapters/duckdb-native/files/script.ts';
import { buildTarget } from '../../../../deploy/build.ts';
import type { BuildOptions } from '../../../../deploy/build-options.ts';
import { thisArchitecture } from '../../../../deploy/native/architecture.ts';
import { unallowedComponents } from '../../../licences.ts';

let root: string;
const site = (database: string, more = '') =>
  writeFile(
    join(root, 'svc-site.yml'),
    `svc: 1\nproject: shop\nprofile: default\n${more}profiles: { default: { database: ${database} } }\n`,
  );
const build = (options: Partial<BuildOptions>) =>
  buildTarget({ root, target: 'node', engine: 'native', arch: thisArchitecture(), ...options });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-native-'));
  await mkdir(join(root, 'tools'));
  await runScript(join(root, 'shop.duckdb'), 'CREATE TABLE sales AS SELECT 1 AS x');
  await writeFile(
    join(root, 'tools/sum.yml'),
    'svc: 1\ntool: { name: sum, description: Sums up., source: { code: SELECT sum(x) AS total FROM shop.sales } }\n',
  );
});
afterAll(() => rm(root, { recursive: true }));

describe('svc build --engine native', () => {
  // Requirements: own.licences
  it('puts the driver of one processor into the artefact, and no wasm engine', async () => {
    await site('{ path: shop.duckdb }');
    const { out, files } = await build({});
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['native/libduckdb.so', 'database/shop.duckdb']));
    expect(paths.filter((path) => path.endsWith('.wasm') || path === 'engine-worker.js')).toEqual([]);
    const [docker, described, bom, licenses] = await Promise.all(
      ['Dockerfile', 'package.json', 'sbom.cdx.json', 'THIRD-PARTY-LICENSES.txt'].map((file) =>
        readFile(join(out, file), 'utf8'),
      ),
    );
    expect(docker).toMatch(/^FROM --platform=linux\/(amd64|arm64) node:24-slim$/m);
    expect(docker).toContain(
      'COPY --chown=1000:1000 native ./native\nCOPY --chown=1000:1000 database ./database\n',
    );
    expect(JSON.parse(described ?? '')).toMatchObject({ os: ['linux'], cpu: [process.arch] });
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(bom ?? '')).toBeNull();
    expect(bom).toContain(`pkg:npm/%40duckdb/node-bindings-linux-${process.arch}@`);
    expect(bom).not.toContain('duckdb-wasm');
    expect(unallowedComponents(bom ?? '')).toEqual([]);
    expect(licenses).toContain(`@duckdb/node-bindings-linux-${process.arch}`);
  });

  it('gives the same bytes again', async () => {
    await site('{ path: shop.duckdb }');
    expect((await build({})).hash).toBe((await build({})).hash);
  });

  it.each([
    [
      { target: 'cloudflare-workers' },
      /no artefact with the native engine for Cloudflare Workers.*node or aws-lambda/,
    ],
    [{ engine: 'wasm' }, /--arch is for --engine native/],
  ] as const)('with %o is refused', async (options, message) => {
    await site('{ path: shop.duckdb }');
    await expect(build(options)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
  });

  // Requirements: large.sort
  it('refuses --sort for a database in memory, which has no tables to write again', async () => {
    await site(
      '{ path: ":memory:", attach: [{ name: shop, uri: "postgres:host=localhost" }], use: shop }',
      'extensions: [postgres]\n',
    );
    await expect(build({ sort: [{ table: 'sales', columns: ['x'] }] })).rejects.toThrow(
      /--sort .* `database.path` of the profile is `:memory:`, so the artefact has no tables\. Leave --sort out/,
    );
  });

  it('refuses attached files of the project, which an artefact does not contain', async () => {
    await site('{ path: shop.duckdb, attach: [{ name: other, uri: other.duckdb }] }');
    await expect(build({})).rejects.toThrow(/files of the project.*: other\. Give an address/);
  });

  it.each([
    [
      '{ path: shop.duckdb, attach: [{ name: other, uri: "/srv/other.duckdb" }] }',
      '',
      /attaches no databases/,
    ],
    ['{ path: "s3://b/x.duckdb" }', 'extensions: [httpfs]\n', /reads no remote database/],
    ['{ path: shop.duckdb }', 'extensions: [fts]\n', /loads no extensions/],
  ])('is the fix for %s with the wasm engine', async (database, more, message) => {
    await site(database, more);
    const wasm = buildTarget({ root, target: 'node' });
    await expect(wasm).rejects.toThrow(message);
    await expect(wasm).rejects.toThrow(/`--engine native` for node or aws-lambda/);
  });
});
