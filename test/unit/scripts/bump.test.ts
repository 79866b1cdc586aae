import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { candidates, engineVersion, newestApi } from '../../../scripts/bump/packages.ts';
import { type Pins, withPins } from '../../../scripts/bump/pins.ts';
import { changesOf } from '../../../scripts/bump/surface.ts';

describe('a move to another version of DuckDB', () => {
  it('takes the last release of the driver for it', () => {
    const versions = ['1.5.5-r.2', '1.5.5-r.10', '1.5.5-r.9', '1.5.50-r.1', '1.5.6-r.1'];
    expect(newestApi('1.5.5', versions)).toBe('1.5.5-r.10');
    expect(newestApi('1.6.0', versions)).toBeUndefined();
  });

  it('looks into the newest releases of the wasm package first', () => {
    const versions = [
      '1.32.0',
      '1.33.1-dev5.0',
      '1.33.1-dev64.0',
      '1.33.1',
      '1.29.0-beta.1',
      '1.33.1-dev65.0',
    ];
    expect(candidates(versions)).toEqual([
      '1.33.1',
      '1.33.1-dev65.0',
      '1.33.1-dev64.0',
      '1.33.1-dev5.0',
      '1.32.0',
    ]);
  });

  it('reads the version out of an engine', () => {
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const own = String(devDependencies['@duckdb/node-api']).replace(/-r.*/, '');
    const engine = readFileSync('node_modules/@duckdb/duckdb-wasm/dist/duckdb-eh.wasm');
    expect(engineVersion(engine)).toBe(own);
    expect(engineVersion(new TextEncoder().encode('\0v1.9.0\0v1.10.2\0v1.10.0\0'))).toBe('1.10.2');
    expect(engineVersion(new Uint8Array(8))).toBeUndefined();
  });

  it('changes pins, and nothing that only looks like one', () => {
    const before: Pins = { version: '1.0.1', api: '1.0.1-r.5', wasm: '1.1.1-dev4.0' };
    const after: Pins = { version: '1.0.2', api: '1.0.2-r.1', wasm: '1.1.1-dev5.0' };
    const text = `"@duckdb/duckdb-wasm": "1.1.1-dev4.0", version: '1.1.1-dev4.0', @duckdb/node-api@1.0.1-r.5,
      duckdb~=1.0.1 duckdb==1.0.1 duckdb-extension-fts==1.0.1 duckdb==1.0.10 native DuckDB v1.0.1, "other": "1.0.1"`;
    expect(
      withPins(text, before, after),
    ).toBe(`"@duckdb/duckdb-wasm": "1.1.1-dev5.0", version: '1.1.1-dev5.0', @duckdb/node-api@1.0.2-r.1,
      duckdb~=1.0.2 duckdb==1.0.2 duckdb-extension-fts==1.0.2 duckdb==1.0.10 native DuckDB v1.0.2, "other": "1.0.1"`);
  });

  it('names what SQL can reach that it could not before', () => {
    const nothing = { functions: [], settings: [], kinds: [], types: [] };
    expect(changesOf(nothing, nothing)).toEqual([]);
    expect(changesOf({ ...nothing, settings: ['a'] }, { ...nothing, functions: ['table f'] })).toEqual([
      { list: 'functions', added: ['table f'], removed: [] },
      { list: 'settings', added: [], removed: ['a'] },
    ]);
  });
});
