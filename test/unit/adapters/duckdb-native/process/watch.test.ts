import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../temporary-folder.ts';

const ENTRY = fileURLToPath(
  new URL('../../../../../adapters/duckdb-native/process/engine-process.ts', import.meta.url),
);
const MEGABYTE = 1024 * 1024;

/** A process that has more memory than it may by a number of bytes, while it commits for a time. */
async function endedCommit({ aboveBytes, commitMs }: { aboveBytes: number; commitMs: number }) {
  const program = join(temporaryFolder(), 'commit.mjs');
  writeFileSync(
    program,
    `import { writeSync } from 'node:fs';
     import { Worker } from 'node:worker_threads';
     const running = new Int32Array(new SharedArrayBuffer(8));
     const mostBytes = process.memoryUsage.rss() - ${aboveBytes};
     new Worker(${JSON.stringify(ENTRY)}, { workerData: { server: process.ppid, mostBytes, running } });
     const count = (slot, by) => { Atomics.add(running, slot, by); Atomics.notify(running, slot); };
     count(1, 1);
     count(0, 1);
     setTimeout(() => { writeSync(1, 'committed'); count(1, -1); }, ${commitMs});
     setInterval(() => {}, 1_000);`,
  );
  const begun = performance.now();
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'],
  });
  if (child.stdout === null) throw new Error('it has no output');
  const [said, [, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { said, signal, ms: performance.now() - begun };
}

it.runIf(process.platform !== 'win32')(
  'ends a process that took too much memory after its commit',
  async () => {
    expect(await endedCommit({ aboveBytes: MEGABYTE, commitMs: 250 })).toMatchObject({
      said: 'committed',
      signal: 'SIGKILL',
    });
  },
);

it.runIf(process.platform !== 'win32').each([
  ['takes very long', { aboveBytes: MEGABYTE, commitMs: 60_000 }],
  ['runs beside a statement that takes far too much', { aboveBytes: 1_000 * MEGABYTE, commitMs: 60_000 }],
])('ends a process under a commit that %s', async (_, commit) => {
  const { said, signal, ms } = await endedCommit(commit);
  expect({ said, signal }).toEqual({ said: '', signal: 'SIGKILL' });
  expect(ms).toBeLessThan(30_000);
});
