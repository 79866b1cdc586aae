import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { EngineHost } from '../../../../../adapters/duckdb-native/process/engine-host.ts';
import type { SvcError } from '../../../../../src/errors.ts';
import type { LogLine, SqlResult } from '../../../../../src/ports.ts';
import { repeat } from '../../../../repeat.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';

/** Milliseconds of a commit. */
const COMMIT_MS = 150;

/** A program in the place of an engine's process. The text of a statement says what it does. */
const ENGINE = `
import { writeSync } from 'node:fs';
const statements = new Map();
const result = { columns: [], values: [], truncated: false };
const kill = () => process.kill(process.pid, 'SIGKILL');
const done = (id) => process.send({ kind: 'done', id, result });
process.once('disconnect', kill);
process.on('message', ({ kind, id, database, task }) => {
  if (kind === 'open') process.send({ kind: 'opened', database });
  if (kind === 'close') process.send({ kind: 'closed', database });
  if (kind === 'start') {
    statements.set(id, task.request.sql);
    if (task.request.mode === 'write') process.send({ kind: 'ready', id });
    const [does, milliseconds] = task.request.sql.split(' ');
    if (does === 'read') setTimeout(done, milliseconds, id);
    if (does === 'crash') setTimeout(kill, milliseconds);
  }
  if (kind !== 'commit') return;
  process.send({ kind: 'committing', id }, () => {
    if (statements.get(id) === 'write') setTimeout(done, ${COMMIT_MS}, id);
    if (statements.get(id) === 'hang') process.send({ kind: 'failed', id, error: { code: 'outcome_unknown' } });
    if (statements.get(id) === 'die') kill();
    if (statements.get(id) === 'take memory') {
      writeSync(4, 'memory');
      kill();
    }
  });
});
`;

async function openHost() {
  const entry = join(temporaryFolder(), 'engine.mjs');
  writeFileSync(entry, ENGINE);
  const lines: LogLine[] = [];
  const host = new EngineHost({
    entry: pathToFileURL(entry),
    mostBytes: 1e9,
    onEmpty: () => {},
    log: (line) => lines.push(line),
  });
  const database = await host.add({ path: ':memory:', readonly: false });
  const close = () => host.remove(database);
  onTestFinished(close);
  const run = (sql: string, timeoutMs = 20_000): Promise<SqlResult | SvcError> => {
    const reads = /^(?:stay|read|crash)\b/.test(sql);
    const request = { sql, values: [], mode: reads ? 'read' : 'write', maxRows: 1, confined: reads } as const;
    const call = { caller: null, timeoutMs, signal: new AbortController().signal };
    return host.submit(database, { kind: 'run', request }, call).catch((thrown: SvcError) => thrown);
  };
  return { run, lines, close };
}

const messageOf = (answer: SqlResult | SvcError): string => ('message' in answer ? answer.message : '');

it.each([
  ['die', 'by signal SIGKILL'],
  ['take memory', 'because it took more memory than it may'],
])('says why an engine ended while it saved a change: %s', async (sql, how) => {
  const { run, lines } = await openHost();
  expect(messageOf(await run(sql))).toBe(
    `The database engine ended ${how} while it saved the change, so the change may be there or not. Read it before you try again.`,
  );
  expect(lines).toEqual([
    { level: 'warn', message: `the database engine ended ${how}, and is started again` },
  ]);
});

it('logs nothing when its last database is closed', async () => {
  const { run, lines, close } = await openHost();
  await run('write');
  await close();
  expect(lines).toEqual([]);
});

it('says that an engine ended under a commit because a statement did not stop', async () => {
  const { run } = await openHost();
  // A commit that never ends.
  const [stuck, commit] = await Promise.all([run('stay', 100), run('commit forever')]);
  expect(stuck).toMatchObject({ code: 'deadline_exceeded' });
  expect(messageOf(commit)).toMatch(
    /^The database engine ended because a statement did not stop in time while/,
  );
}, 20_000);

it('ends an engine between two commits, however many writes there are', async () => {
  const { run } = await openHost();
  const failed: (SqlResult | SvcError)[] = [];
  const writer = (delayMs: number) =>
    repeat(async (round) => {
      if (round === 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      const answer = await run('write');
      if ('code' in answer) failed.push(answer);
    });
  const writers = [0, COMMIT_MS / 3, (2 * COMMIT_MS) / 3].map(writer);
  expect(await run('stay', 100)).toMatchObject({ code: 'deadline_exceeded' });
  await Promise.all(writers.map((one) => one.stop()));
  expect(failed).toEqual([]);
}, 20_000);

it("runs callers' statements beside a commit that hangs, when its caller has an answer", async () => {
  const { run } = await openHost();
  expect(await run('hang')).toMatchObject({ code: 'outcome_unknown' });
  expect(await run('read')).toMatchObject({ rows: [] });
}, 30_000);

it('finds a statement that crashes only after a while, and ends no other', async () => {
  const { run } = await openHost();
  const others = Array.from({ length: 4 }, () => run('read 2500', 40_000));
  expect(messageOf(await run('crash 1200', 40_000))).toMatch(/^The database engine failed on this statement/);
  for (const answer of await Promise.all(others)) expect(answer).toMatchObject({ rows: [] });
}, 60_000);
