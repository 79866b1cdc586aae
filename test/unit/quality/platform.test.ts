import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { checkExtensions, fixOf, platformIssue } from '../../../src/quality/platform.ts';

const WORKERS = { platform: 'cloudflare-workers', engine: 'duckdb-wasm' } as const;
const NATIVE = { platform: null, engine: 'duckdb-native' } as const;

const problemOf = (message: string, serving: typeof WORKERS | typeof NATIVE = WORKERS) =>
  platformIssue(new SvcError('sql_failed', message), serving);

describe('platformProblem', () => {
  it('names what is missing, and where', () => {
    expect(
      problemOf(
        'Catalog Error: Scalar Function with name "json_extract" is not in the catalog, but it exists in the json extension.',
      )?.message,
    ).toBe(
      "cloudflare-workers (duckdb-wasm) does not have the function json_extract, which is in DuckDB's extension json.",
    );
    expect(
      problemOf(
        'Catalog Error: Collation with name "de" is not in the catalog, but it exists in the icu extension.',
      )?.message,
    ).toContain('the collation de,');
    expect(
      problemOf(
        "Extension Autoloading Error: An error occurred while trying to automatically install the required extension 'icu':",
        NATIVE,
      ),
    ).toEqual({
      message: "duckdb-native does not have DuckDB's extension icu, which the statement needs.",
      fix: 'Name the extension under `extensions` in svc-site.yml, or write the SQL without it.',
    });
  });

  it('leaves the faults of the statement itself to the engine', () => {
    expect(problemOf('Catalog Error: Scalar Function with name nofunc does not exist!')).toBeNull();
    expect(platformIssue(new SvcError('database_readonly', 'no'), NATIVE)).toBeNull();
    expect(platformIssue(new SvcError('database_readonly', 'It writes.\nDo not.'), WORKERS)?.message).toBe(
      'On cloudflare-workers (duckdb-wasm): It writes.',
    );
  });
});

describe('fixOf', () => {
  it('says how a missing table comes to be', () => {
    const said = 'Catalog Error: Table with name sales does not exist!\n\nLINE 1: FROM sales';
    expect(fixOf(new SvcError('sql_failed', said))).toMatch(
      /^Correct the name, or create the table\. `seed\.sql`/,
    );
    expect(fixOf(new SvcError('sql_failed', 'Binder Error: x'))).toBe('Correct the SQL or the database.');
    const parameter =
      "Binder Error: Unexpected prepared parameter. This type of statement can't be prepared!";
    expect(fixOf(new SvcError('sql_failed', parameter))).toMatch(/^Leave parameters out of RETURNING/);
  });
});

describe('checkExtensions', () => {
  it('finds each one that the engine cannot load', () => {
    const [httpfs, spatial] = [{ name: 'httpfs' }, { name: 'spatial' }];
    const profiles = { lake: { extensions: [spatial] } };
    const site = { profile: 'lake', profiles, extensions: [httpfs, spatial] };
    expect(checkExtensions(site, NATIVE, {})).toEqual([]);
    const positions = {
      '/extensions/0': { line: 4, column: 5 },
      '/profiles/lake/extensions/0': { line: 9, column: 5 },
    };
    const found = checkExtensions(site, WORKERS, positions);
    expect(found.map(({ file, line, message }) => `${file}:${line} ${message}`)).toEqual([
      'svc-site.yml:4 The extension httpfs cannot be loaded on cloudflare-workers (duckdb-wasm).',
      'svc-site.yml:9 The extension spatial cannot be loaded on cloudflare-workers (duckdb-wasm).',
    ]);
  });
});
