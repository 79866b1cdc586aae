import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { buildTarget } from '../../deploy/build.ts';
import type { Database } from '../../src/ports.ts';
import { DATES } from '../engine/date-functions.ts';
import { read } from '../engine/fixture.ts';
import { JSON_CASTS, JSON_READS } from '../engine/json-functions.ts';
import { toEngineOptions } from './artefacts.ts';
import { PLATFORMS, type Running } from './platforms.ts';
import { rawCall } from './raw.ts';

/* The version of DuckDB, and the functions that this project adds to the wasm engine, on a built artefact of each target. */

const NAMES = [
  'Node over a socket',
  'Lambda, API Gateway',
  'Node, native engine',
  'Lambda, native engine',
  'workerd',
];
const PLACES = PLATFORMS.filter(({ name }) => NAMES.includes(name));
const EXPRESSIONS = [...DATES, ...JSON_READS, ...JSON_CASTS];
const BATCH = 20;
const SITE = 'svc: 1\nproject: functions\nprofile: default\nsql_tools:\n  enabled: true\n';

let root: string;
let native: Database;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-functions-'));
  await mkdir(join(root, 'data'));
  await writeFile(join(root, 'svc-site.yml'), SITE);
  await runScript(join(root, 'data/db-default.db'), 'CREATE TABLE nothing (id INTEGER)');
  native = await openNative({ path: join(root, 'data/db-default.db'), readonly: true });
});

afterAll(async () => {
  await native.close();
  await rm(root, { recursive: true });
});

/** What native answers to a statement; null: an error. */
function expected(sql: string): Promise<unknown> {
  return read(native, sql).then(
    // On the wire there is no negative zero.
    ({ rows }) => JSON.parse(JSON.stringify(rows)),
    () => null,
  );
}

/** Statements of many expressions each; one that fails has its own. */
async function statements(): Promise<readonly string[]> {
  const failing: string[] = [];
  const columns: string[] = [];
  for (const [index, expression] of EXPRESSIONS.entries()) {
    const sql = `SELECT ${expression} AS v${index}`;
    if ((await expected(sql)) === null) failing.push(sql);
    else columns.push(`(${expression}) AS v${index}`);
  }
  const batches = Array.from({ length: Math.ceil(columns.length / BATCH) }, (_, index) =>
    columns.slice(index * BATCH, (index + 1) * BATCH),
  );
  return [...failing, ...batches.map((batch) => `SELECT ${batch.join(', ')}`)];
}

describe.each(PLACES)('functions on $name', (platform) => {
  let running: Running;

  beforeAll(async () => {
    const { target, engine } = platform;
    const out = join(root, 'build', target);
    await buildTarget({ root, public: true, target, ...toEngineOptions(engine), out });
    running = await platform.start(out);
  });

  afterAll(() => running.close());

  async function answered(sql: string): Promise<unknown> {
    const { result } = JSON.parse(await rawCall(running.reach, 'execute_sql_query', { sql }));
    return result.isError ? null : result.structuredContent;
  }

  it('are those of the same DuckDB as native has', async () => {
    const sql = 'SELECT version() AS version';
    expect(await answered(sql)).toEqual(await expected(sql));
  });

  it('answer as native does', async () => {
    for (const sql of await statements()) {
      expect({ sql, answer: await answered(sql) }).toEqual({ sql, answer: await expected(sql) });
    }
  }, 120_000);
});
