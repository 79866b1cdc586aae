import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { compileEngine } from '../../adapters/duckdb-wasm/artefact.ts';
import { openWasm } from '../../adapters/duckdb-wasm/in-process.ts';
import { pathFile } from '../../adapters/duckdb-wasm/path-file.ts';
import type { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { DATES } from './date-functions.ts';
import { createFixture, type Fixture, read, removeFixture } from './fixture.ts';
import { JSON_CASTS, JSON_READS } from './json-functions.ts';

let fixture: Fixture;
let native: Database;
let wasm: Database;

beforeAll(async () => {
  fixture = await createFixture();
  native = await openNative({ path: fixture.shop, readonly: true });
  wasm = await openWasm({ ...(await compileEngine()), file: pathFile(fixture.shop) });
});

afterAll(async () => {
  await native.close();
  await wasm.close();
  await removeFixture(fixture);
});

/** What an engine says to an expression: its type and value, or the code of the error. */
async function said(database: Database, expression: string): Promise<string> {
  return read(database, `SELECT ${expression} AS v`).then(
    ({ columns, rows }) => `${columns[0]?.type} ${JSON.stringify(rows.map(({ v }) => v))}`,
    ({ code }: SvcError) => code,
  );
}

describe.each([
  ['dates', DATES, 150],
  ['looking into JSON', JSON_READS, 150],
  ['making JSON and reading it', JSON_CASTS, 200],
])('functions of extensions that the wasm engine has too: %s', (_, expressions, least) => {
  it('are tested enough', () => {
    expect(new Set(expressions).size).toBeGreaterThan(least);
  });

  it.each(expressions.map((expression) => [expression]))('%s', async (expression) => {
    expect(await said(wasm, expression)).toBe(await said(native, expression));
  });
});
