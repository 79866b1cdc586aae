import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CompiledEngine, compileEngine } from '../../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { bytesFile, openWasm } from '../../../../../adapters/duckdb-wasm/in-process.ts';
import { RemoteFile } from '../../../../../adapters/duckdb-wasm/remote/remote-file.ts';
import { buildWasm } from '../../../../../scripts/build-wasm.ts';
import type { Database } from '../../../../../src/ports.ts';
import { callerNamed, createDatabase, failureOf, read } from '../fixture.ts';
import { digestsOf, FakeStore } from '../remote/source.ts';

/** 27 MB that no compression makes smaller. */
const WIDE = `CREATE TABLE wide AS
  SELECT ${Array.from({ length: 8 }, (_, n) => `hash(i + ${n}0000000) AS c${n}`).join(', ')} FROM range(400000) r(i)`;
const SCAN = 'SELECT sum(COLUMNS(*) % 3) FROM wide';
/** A list in one piece of 11 MB. */
const PIECE = 'SELECT count(l) AS n FROM (SELECT range(1375000) AS l)';
/** Its texts are joined in pieces, each twice as large as the one before. */
const JOINED = "SELECT length(string_agg(c1::VARCHAR, ',')) AS n FROM wide, range(20)";

let compiled: CompiledEngine;
let bytes: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  await buildWasm();
  compiled = await compileEngine();
}, 120_000);

async function open(kind: string, memoryMb: number): Promise<Database> {
  bytes ??= new Uint8Array(readFileSync(await createDatabase(WIDE)));
  const store = new FakeStore(bytes);
  const fetched = async () =>
    new RemoteFile({ name: 'data.duckdb', source: store, digests: digestsOf(bytes) });
  const file = kind === 'is fetched' ? fetched : bytesFile(bytes);
  const database = await openWasm({ ...compiled, file, memoryMb });
  onTestFinished(() => database.close());
  return database;
}

// Requirements: own.neighbours, large.crowd
describe.each(['is at hand', 'is fetched'])('in an engine whose file %s', (kind) => {
  it('a statement gets memory that others left full of blocks and in pieces', async () => {
    const database = await open(kind, 36);
    for (let round = 0; round < 3; round += 1) {
      await read(database, SCAN);
      expect((await read(database, PIECE)).rows).toEqual([{ n: 1 }]);
    }
  });

  it('memory that could not be had is not counted for ever', async () => {
    const database = await open(kind, 64);
    for (let round = 0; round < 3; round += 1) {
      await read(database, SCAN);
      expect(await failureOf(read(database, JOINED))).toMatchObject({ code: 'memory_exceeded' });
    }
    const counted = "SELECT memory_usage_bytes AS bytes FROM duckdb_memory() WHERE tag = 'ALLOCATOR'";
    expect((await read(database, counted)).rows).toEqual([{ bytes: 0 }]);
  });

  it('a database that was opened again has its functions, and its settings stay locked', async () => {
    const database = await open(kind, 64);
    for (let round = 0; round < 5; round += 1) {
      expect(await failureOf(read(database, JOINED))).toMatchObject({ code: 'memory_exceeded' });
      const sql = `SELECT get_username() AS me, '{"a": ${round}}'::JSON ->> 'a' AS a, '2026-01-01'::TIMESTAMPTZ::DATE AS day,
        current_setting('enable_external_access') AS outside, current_setting('lock_configuration') AS locked`;
      const { rows } = await read(database, sql, { caller: callerNamed('ada') });
      const day = '2026-01-01';
      expect(rows).toEqual([{ me: 'ada', a: `${round}`, day, outside: false, locked: true }]);
    }
  });
});
