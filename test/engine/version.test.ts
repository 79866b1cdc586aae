import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PINNED } from '../../scripts/wasm/pinned.ts';
import { ENGINES } from './engines.ts';
import { createFixture, type Fixture, read, removeFixture } from './fixture.ts';

const PACKAGE: {
  readonly devDependencies: { readonly [name: string]: string };
} = JSON.parse(readFileSync('package.json', 'utf8'));
const { '@duckdb/node-api': api = '', '@duckdb/node-bindings': bindings } = PACKAGE.devDependencies;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => removeFixture(fixture));

describe('the version of DuckDB', () => {
  it('of the packages is pinned', () => {
    expect(api).toMatch(/^\d+\.\d+\.\d+-r\.\d+$/);
    expect(bindings).toBe(api);
    expect(PACKAGE.devDependencies['@duckdb/duckdb-wasm']).toBe(PINNED.version);
  });

  it.each(ENGINES)('of $name is the one of the package for the native engine', async ({ open }) => {
    const database = await open(fixture.shop);
    const { rows } = await read(database, 'SELECT version() AS version');
    await database.close();
    expect(rows).toEqual([{ version: `v${api.replace(/-r.*/, '')}` }]);
  });
});
