import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { openProcess } from '../../adapters/duckdb-native/process/open.ts';
import { compileEngine } from '../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../adapters/duckdb-wasm/in-process.ts';
import { openWasmPool } from '../../adapters/duckdb-wasm/pool/open.ts';
import type { Database } from '../../src/ports.ts';
import { type Folder, temporaryFolder } from './fixture.ts';
import { CALLERS, CALLERS_SCRIPT, checkCallers } from './fresh/callers.ts';
import { CHANGES, CHANGES_SCRIPT, checkChanges } from './fresh/changes.ts';
import {
  checkClocks,
  checkLeftBehind,
  checkSeeds,
  checkSeedsAfterwards,
  checkSequence,
  checkUnique,
  SESSIONS_SCRIPT,
} from './fresh/sessions.ts';
import { cacheAcrossCallers, openKeepingPlans } from './fresh/wrong.ts';

/* Whatever an engine keeps between calls, each answer is of its own caller, its own time and the rows of that time. */

type Open = (path: string) => Promise<Database>;

const READING: Readonly<Record<string, Open>> = {
  'duckdb-wasm, in process': async (path) =>
    openWasm({ ...(await compileEngine()), file: pathFile(path), pause: () => new Promise(setImmediate) }),
  'duckdb-wasm, a pool': (path) => openWasmPool({ path, workers: 2 }),
  'duckdb-native': (path) => openNative({ path, readonly: true }),
  'duckdb-native, in a process': (path) => openProcess({ path, readonly: true }),
};
const WRITING: Readonly<Record<string, Open>> = {
  'duckdb-native, read-write': (path) => openNative({ path, readonly: false }),
  'duckdb-native, read-write, in a process': (path) => openProcess({ path, readonly: false }),
};

/** A database of its own for the tests of one block. */
function useDatabase(open: Open): () => Database {
  let folder: Folder;
  let database: Database | undefined;
  beforeAll(async () => {
    folder = await temporaryFolder();
    const path = folder.file('fresh.duckdb');
    await runScript(path, [CALLERS_SCRIPT, CHANGES_SCRIPT, SESSIONS_SCRIPT].join('\n'));
    database = await open(path);
  });
  afterAll(async () => {
    await database?.close();
    await folder.remove();
  });
  return () => {
    if (database === undefined) throw new Error('the database is not open');
    return database;
  };
}

describe.each(Object.entries({ ...READING, ...WRITING }))('%s', (_, open) => {
  const database = useDatabase(open);

  it(`gives ${CALLERS} callers at once their own answers, with deadlines, cancellations, errors and writes`, async () => {
    expect(await checkCallers(database())).toEqual([]);
  });

  it('tells each call its own time', async () => {
    expect(await checkClocks(database())).toEqual([]);
  });

  it('draws random values anew for each call', async () => {
    expect(await checkUnique(database())).toEqual([]);
    expect(await checkSeeds(database())).toEqual([]);
    expect(await checkSeedsAfterwards(database())).toEqual([]);
  });
});

describe.each(Object.entries(WRITING))('%s', (_, open) => {
  const database = useDatabase(open);

  it('answers from the rows, views and macros of now after another connection changed them', async () => {
    expect(await checkChanges(database())).toEqual([]);
  });

  it('shows no call what another left in its session', async () => {
    expect(await checkLeftBehind(database())).toEqual([]);
  });

  it('gives each number of a sequence once', async () => {
    expect(await checkSequence(database())).toEqual([]);
  });
});

/* The checks above can fail: each finds the databases that are wrong on purpose. */

describe('a wrong database that keeps plans', () => {
  const database = useDatabase(openKeepingPlans);

  it('is found by the callers: their identity is in the plan', async () => {
    expect((await checkCallers(database())).length).toBeGreaterThan(CALLERS);
  });

  it('is found by changes: statistics are in the plan', async () => {
    const wrong = (await checkChanges(database())).join('\n');
    for (const part of [
      'i > 99',
      'i = 200',
      'i = 777',
      'j IS NULL',
      'JOIN far',
      'IN (SELECT',
      'GROUP BY',
      'small +',
    ]) {
      expect(wrong).toContain(part);
    }
  });

  it('is found by the clock: the local time is in the plan', async () => {
    expect((await checkClocks(database())).length).toBeGreaterThan(0);
  });

  it('is found by what calls leave in the one session', async () => {
    expect(await checkSeeds(database())).toHaveLength(3);
    expect(await checkSeedsAfterwards(database())).toHaveLength(2);
    expect((await checkLeftBehind(database())).length).toBeGreaterThan(3);
  });
});

describe('a wrong database that keeps answers', () => {
  const database = useDatabase(async (path) =>
    cacheAcrossCallers(await openNative({ path, readonly: false })),
  );

  it('is found by the callers', async () => {
    expect((await checkCallers(database())).length).toBeGreaterThan(CALLERS);
  });

  it('is found by every change', async () => {
    expect(await checkChanges(database())).toHaveLength(CHANGES.length);
  });

  it('is found by the clock, by random values and by sequences', async () => {
    expect((await checkClocks(database())).length).toBeGreaterThan(0);
    expect((await checkUnique(database())).length).toBeGreaterThan(0);
    expect(await checkSeeds(database())).toHaveLength(3);
    expect((await checkSequence(database())).length).toBeGreaterThan(0);
  });
});
