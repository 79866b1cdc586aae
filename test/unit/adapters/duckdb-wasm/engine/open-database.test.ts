import { copyFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadDriver } from '../../../../../adapters/duckdb-native/driver/driver.ts';
import { compileEngine } from '../../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../../../../adapters/duckdb-wasm/engine/path-file.ts';
import {
  bytesFile,
  type DatabaseFile,
  openWasm,
  prepareWasm,
} from '../../../../../adapters/duckdb-wasm/in-process.ts';
import { openWasmPool } from '../../../../../adapters/duckdb-wasm/pool/open.ts';
import { buildWasm } from '../../../../../scripts/build-wasm.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { createDatabase, failureOf, openHere, read } from '../fixture.ts';

beforeAll(() => buildWasm());

/** A file that counts what is read of it. */
function counted(file: DatabaseFile): { file: DatabaseFile; bytesRead(): number } {
  let bytes = 0;
  const read: DatabaseFile['read'] = (target, position) => {
    const count = file.read(target, position);
    bytes += count;
    return count;
  };
  return { file: { ...file, read }, bytesRead: () => bytes };
}

describe('opening a database', () => {
  it('reads only the blocks it needs', async () => {
    const path = await createDatabase(
      `CREATE TABLE big AS SELECT i AS id, md5(i::VARCHAR) AS text FROM range(250000) r(i)`,
    );
    const { file, bytesRead } = counted(pathFile(path));
    const database = await openWasm({ ...(await compileEngine()), file });
    expect(file.size()).toBeGreaterThan(4_000_000);
    expect(bytesRead()).toBeLessThan(1_000_000);
    const { rows } = await read(database, 'SELECT id FROM big WHERE id = $1', { values: [200_000n] });
    expect(rows).toEqual([{ id: 200_000 }]);
    expect(bytesRead()).toBeLessThan(file.size() / 4);
    await database.close();
  });

  it('takes bytes, for platforms without a file system', async () => {
    const { readFileSync } = await import('node:fs');
    const bytes = readFileSync(await createDatabase());
    const database = await openWasm({ ...(await compileEngine()), file: bytesFile(bytes, 'sales.duckdb') });
    const { rows } = await read(
      database,
      'SELECT count(*) AS n, current_database() AS name FROM sales.main.users',
    );
    expect(rows).toEqual([{ n: 1000, name: 'sales' }]);
    await database.close();
  });

  it('is instantiated before it is known what the database is called', async () => {
    const { readFileSync } = await import('node:fs');
    const bytes = bytesFile(readFileSync(await createDatabase()));
    const called = { name: '' };
    const file: DatabaseFile = {
      ...bytes,
      get name() {
        return called.name;
      },
    };
    const open = await prepareWasm({ ...(await compileEngine()), file });
    called.name = 'late.duckdb';
    const database = await open();
    const { rows } = await read(database, 'SELECT count(*) AS n FROM late.main.users');
    expect(rows).toEqual([{ n: 1000 }]);
    await database.close();
  });

  it('sees what a writer committed before it was stopped', async () => {
    const folder = temporaryFolder();
    const path = await createDatabase('CREATE TABLE t (i INTEGER)', 'live.duckdb', folder);
    const { openInstance } = await loadDriver();
    const writer = await openInstance(path);
    const connection = await writer.connect();
    await connection.run('INSERT INTO t VALUES (1), (2)');
    copyFileSync(path, join(folder, 'copy.duckdb'));
    copyFileSync(`${path}.wal`, join(folder, 'copy.duckdb.wal'));
    connection.closeSync();
    writer.closeSync();
    const database = await openHere(join(folder, 'copy.duckdb'));
    expect((await read(database, 'SELECT count(*) AS n FROM t')).rows).toEqual([{ n: 2 }]);
  });

  it('says what is wrong with a file that is none', async () => {
    const folder = temporaryFolder();
    const missing = await failureOf(openWasmPool({ path: join(folder, 'none.duckdb') }));
    expect(missing).toMatchObject({ code: 'database_unavailable' });
    expect(missing.message).toMatch(/There is no database file at .*none\.duckdb\. Create it first/);
    expect(await failureOf(openWasmPool({ path: folder }))).toMatchObject({ code: 'database_unavailable' });
    for (const content of ['', 'x', 'not a database'.repeat(2000)]) {
      writeFileSync(join(folder, 'text.duckdb'), content);
      const failure = await failureOf(openHere(join(folder, 'text.duckdb')));
      expect(failure.code).toBe('database_unavailable');
      expect(failure.message).toMatch(/text\.duckdb cannot be opened: .+/);
    }
  });

  it('says which storage version it cannot read', async () => {
    const path = await createDatabase();
    const bytes = (await import('node:fs')).readFileSync(path);
    bytes.writeUInt32LE(99, 12);
    writeFileSync(path, bytes);
    const failure = await failureOf(openHere(path));
    expect(failure.code).toBe('database_unavailable');
    expect(failure.message).toMatch(/data\.duckdb cannot be opened: .*version|checksum/i);
  });

  it('says so when the file is cut short under it, and recovers with the file', async () => {
    const path = await createDatabase();
    const whole = `${path}.whole`;
    copyFileSync(path, whole);
    const database = await openHere(path);
    truncateSync(path, 20_000);
    const failure = await failureOf(read(database, 'SELECT sum(amount) AS s FROM words'));
    expect(failure.code).toBe('database_unavailable');
    copyFileSync(whole, path);
    expect((await read(database, 'SELECT count(*) AS n FROM words')).rows).toEqual([{ n: 100_000 }]);
  });

  it('keeps serving the old file while another takes its name, which the next open sees', async () => {
    const folder = temporaryFolder();
    const path = await createDatabase('CREATE TABLE v AS SELECT 1 AS version', 'swap.duckdb', folder);
    const next = await createDatabase('CREATE TABLE v AS SELECT 2 AS version', 'next.duckdb', folder);
    const old = await openHere(path);
    renameSync(next, path);
    expect((await read(old, 'FROM v')).rows).toEqual([{ version: 1 }]);
    const reopened = await openHere(path);
    expect((await read(reopened, 'FROM v')).rows).toEqual([{ version: 2 }]);
  });

  it('can be opened and closed again and again, and answers nothing once closed', async () => {
    const path = await createDatabase();
    for (let round = 0; round < 3; round += 1) {
      const database = await openHere(path);
      expect((await read(database, 'SELECT count(*) AS n FROM users')).rows).toEqual([{ n: 1000 }]);
      await database.close();
      expect(await failureOf(read(database, 'SELECT 1'))).toMatchObject({ code: 'database_unavailable' });
    }
  });

  it('refuses a memory limit that it cannot work with', async () => {
    const path = await createDatabase();
    for (const memoryMb of [8, 4096, 64.5, Number.NaN]) {
      expect(await failureOf(openHere(path, memoryMb))).toMatchObject({ code: 'config_invalid' });
    }
  });
});
