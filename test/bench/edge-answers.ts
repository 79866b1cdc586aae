import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { compileEngine } from '../../adapters/duckdb-wasm/engine/artefact.ts';
import { openWasm } from '../../adapters/duckdb-wasm/in-process.ts';
import { openRemote, type RangeSource } from '../../adapters/duckdb-wasm/remote/remote-file.ts';
import { describeRemote } from '../../deploy/remote-database.ts';
import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { createLargeProject, rowsOf, statements } from '../matrix/large/project.ts';
import type { Row } from './measure.ts';

const MB = 1_048_576;
const COUNT = Number(process.env.SVC_TEST_EDGE_STATEMENTS ?? 200);
const SEED = Number(process.env.SVC_TEST_EDGE_SEED ?? 7);
const CALLERS = 4;
/** Prints how far it is, once for so many statements. */
const EVERY = 100;

/**
 * Answers from a large file by ranges, in this process: the engine that waits, with the memory and the reader of a
 * Worker, beside native. `SVC_TEST_EDGE_ROWS=50000000 SVC_TEST_EDGE_STATEMENTS=2000` is the long form.
 */
export async function measureEdgeAnswers(): Promise<readonly Row[]> {
  const path = join(await createLargeProject(), 'data/large.duckdb');
  const file = await open(path);
  const { size } = await file.stat();
  const native = await openNative({ path, readonly: true });
  const remote = await describeRemote(
    path,
    { name: 'large.duckdb', bytes: size, sha256: '' },
    { project: 'large', store: 'r2' },
  );
  const counted = { equal: 0, different: 0, full: 0, failed: 0, ranges: 0 };
  const source: RangeSource = {
    name: path,
    size,
    read: async (offset, length) => {
      counted.ranges += 1;
      const { buffer } = await file.read(new Uint8Array(length), 0, length, offset);
      return buffer;
    },
  };
  const database = await openWasm({
    ...(await compileEngine()),
    file: async () => openRemote({ name: 'large.duckdb', bytes: size, sha256: '', remote }, source),
  });
  const compare = async (sql: string): Promise<void> => {
    const [found, expected] = await Promise.all([textOf(database, sql), textOf(native, sql)]);
    if (found === expected) counted.equal += 1;
    else {
      process.stderr.write(`${sql}: ${found.slice(0, 300)} instead of ${expected.slice(0, 300)}\n`);
      if (found === 'memory_exceeded') counted.full += 1;
      else counted[/^[a-z_]+$/.test(found) ? 'failed' : 'different'] += 1;
    }
  };
  const queue = [...statements(COUNT, SEED)];
  const began = performance.now();
  const caller = async (): Promise<void> => {
    for (let sql = queue.pop(); sql !== undefined; sql = queue.pop()) {
      await compare(sql);
      if (queue.length % EVERY === 0)
        process.stderr.write(`${queue.length} left ${JSON.stringify(counted)}\n`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const seconds = (performance.now() - began) / 1000;
  await database.close();
  await native.close();
  await file.close();
  const row = (what: string, ours: number, unit: string, budget: number | null): Row => ({
    what,
    ours,
    base: null,
    baseName: '',
    unit,
    budget,
  });
  return [
    row(
      `${COUNT} statements over ${(size / MB).toFixed(0)} MiB, ${CALLERS} at a time: equal to native`,
      counted.equal,
      'statements',
      null,
    ),
    row('other rows than native', counted.different, 'statements', 0),
    row('memory_exceeded', counted.full, 'statements', 0),
    row('other errors', counted.failed, 'statements', 0),
    row('ranges', counted.ranges, 'ranges', null),
    row('time', seconds, 's', null),
  ];
}

/** The rows of a statement as text, or the code of its error. */
async function textOf(database: Database, sql: string): Promise<string> {
  try {
    return JSON.stringify(await rowsOf(database, sql));
  } catch (thrown) {
    if (thrown instanceof SvcError) return thrown.code;
    throw thrown;
  }
}
