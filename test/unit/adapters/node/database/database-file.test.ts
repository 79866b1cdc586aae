import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import {
  conversionOf,
  ENGINE_VERSION,
  enforceReadableFile,
  inspectFile,
  refusalOf,
} from '../../../../../adapters/node/database/database-file.ts';
import { openNodeDatabase } from '../../../../../adapters/node/database/open-database.ts';
import { makeFolder } from '../../../../../adapters/node/make-folder.ts';
import { databaseFileOf, FILE_VERSIONS } from '../../../../fixtures/database-files.ts';

let root: string;
let path: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-file-'));
  path = join(root, 'data.db');
});
afterEach(() => rmSync(root, { recursive: true }));

/** What is said of a file with these bytes. */
async function refusalFor(bytes: string | Buffer): Promise<string | null> {
  writeFileSync(path, bytes);
  return refusalOf(path, await inspectFile(path));
}

/** The header of a DuckDB file, changed. */
function changed(change: (bytes: Buffer) => void): Buffer {
  const bytes = databaseFileOf('1.5.5');
  change(bytes);
  return bytes;
}

const call = { caller: null, timeoutMs: 5000, signal: new AbortController().signal };

describe('the header of a file', () => {
  it('is there of nine versions', () => {
    expect(FILE_VERSIONS).toHaveLength(9);
  });

  it.each(FILE_VERSIONS)('names the DuckDB that wrote it: %s', async (name) => {
    const [version] = name.split('-');
    const storage = { '1.5.5-v1.5.0': 68, '2.0.0': 999 }[name] ?? 64;
    writeFileSync(path, databaseFileOf(name));
    expect(await inspectFile(path)).toEqual({ kind: 'duckdb', storage, version, encrypted: false });
  });

  it('refuses a newer one with the versions and the statements that convert it', async () => {
    const text = await refusalFor(databaseFileOf('2.0.0'));
    expect(text).toContain(
      `was written by DuckDB 2.0.0 in storage version 999. svc has DuckDB ${ENGINE_VERSION}`,
    );
    expect(text).toContain(`ATTACH '${join(root, 'data-converted.db')}' AS new (STORAGE_VERSION 'v1.0.0');`);
    expect(text).toContain('COPY FROM DATABASE old TO new;');
    await expect(enforceReadableFile(path)).rejects.toMatchObject({ code: 'database_unavailable' });
  });

  it('refuses one that is older than 1.0 can be, and one that does not name its writer', async () => {
    expect(await refusalFor(changed((bytes) => bytes.writeBigUInt64LE(51n, 12)))).toMatch(/EXPORT DATABASE/);
    const unnamed = changed((bytes) => {
      bytes.writeBigUInt64LE(70n, 12);
      bytes.fill(0, 52, 84);
    });
    expect(await refusalFor(unnamed)).toMatch(/another version of DuckDB in storage version 70/);
  });

  it('tells an encrypted file by its flag', async () => {
    const text = await refusalFor(changed((bytes) => bytes.writeBigUInt64LE(1n, 20)));
    expect(text).toMatch(/is encrypted .*no key/);
    expect(text).toContain("ENCRYPTION_KEY '...', READ_ONLY");
  });

  it.each([
    ['an empty file', '', /is an empty file/],
    ['SQLite', 'SQLite format 3\0'.padEnd(4096, '\0'), /is a SQLite database, not a DuckDB database/],
    ['Parquet', 'PAR1\x15\0', /is a Parquet file/],
    ['text', 'id,name\n1,Ada\n', /is a text file/],
    ['other bytes', Buffer.from([1, 0, 2]), /is a file of another format/],
    ['a part of the headers', databaseFileOf('1.5.5').subarray(0, 5000), /is truncated/],
    ['the headers without blocks', databaseFileOf('1.5.5').subarray(0, 12_288), /is truncated/],
    ['a file without its last block', databaseFileOf('1.5.5').subarray(0, 300_000), /is truncated/],
  ])('tells %s', async (_name, bytes, expected) => {
    expect(await refusalFor(bytes)).toMatch(expected);
  });

  it('tells a folder, a pipe and a device without opening them, and passes what is missing', async () => {
    mkdirSync(path);
    expect(refusalOf(path, await inspectFile(path))).toMatch(/is a folder/);
    const pipe = join(root, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(refusalOf(pipe, await inspectFile(pipe))).toMatch(/is a pipe/);
    expect(refusalOf('/dev/zero', await inspectFile('/dev/zero'))).toMatch(/is a device/);
    expect(await inspectFile(join(root, 'none'))).toEqual({ kind: 'missing' });
    expect(await inspectFile(join(pipe, 'below'))).toEqual({ kind: 'missing' });
    await expect(enforceReadableFile(join(root, 'none'))).resolves.toBeUndefined();
  });

  it('says why one cannot be read', async () => {
    symlinkSync(path, path);
    expect(refusalOf(path, await inspectFile(path))).toMatch(/cannot be read: ELOOP/);
  });

  it('has the versions of the engine, and quotes names', async () => {
    const database = await openNative({ path: ':memory:', readonly: false });
    const { rows } = await database.run(
      { sql: 'SELECT library_version AS v FROM pragma_version()', mode: 'read', values: [], maxRows: 1 },
      call,
    );
    await database.close();
    expect(rows).toEqual([{ v: `v${ENGINE_VERSION}` }]);
    expect(conversionOf("it's.db", { encrypted: false })).toContain("ATTACH 'it''s.db' AS old (READ_ONLY)");
  });
});

describe.each(['wasm', 'native'] as const)('%s', (engine) => {
  it.each(FILE_VERSIONS.filter((name) => name !== '2.0.0'))('opens a file of %s', async (name) => {
    writeFileSync(path, databaseFileOf(name));
    const database = await openNodeDatabase({ path, readonly: true, engine });
    await database.close();
  });

  it('refuses a pipe at once', async () => {
    execFileSync('mkfifo', [path]);
    await expect(openNodeDatabase({ path, readonly: true, engine })).rejects.toThrow(/is a pipe/);
  });
});

it('a folder below /proc is an error, not an endless attempt', () => {
  expect(() => makeFolder('/proc/none/below')).toThrow(/ENOENT/);
  makeFolder(join(root, 'a/b/c'));
  expect(() => makeFolder(join(root, 'a/b/c'))).not.toThrow();
});
