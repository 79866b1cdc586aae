import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { processorSeconds, runSides } from '../../../scripts/test/totals.js';

/** A run of steps that end when the test says so, and the steps that run. */
function createRun() {
  const running = new Map<string, () => void>();
  const run = async (step: string) => {
    await new Promise<void>((resolve) => running.set(step, resolve));
    running.delete(step);
    return step;
  };
  const end = async (step: string) => {
    running.get(step)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { run, end, running: () => [...running.keys()].toSorted() };
}

describe('steps on two sides', () => {
  it('run in turn, and the side that ends first takes over the last step of the other', async () => {
    const { run, end, running } = createRun();
    const results = runSides(['unit', 'matrix', 'engine'], ['lake'], run);
    expect(running()).toEqual(['lake', 'unit']);
    await end('lake');
    expect(running()).toEqual(['engine', 'unit']);
    await end('unit');
    expect(running()).toEqual(['engine', 'matrix']);
    await end('matrix');
    await end('engine');
    expect(await results).toEqual(['unit', 'matrix', 'lake', 'engine']);
  });

  it('run one at a time without a second side', async () => {
    const { run, end, running } = createRun();
    const results = runSides(['unit', 'matrix'], [], run);
    expect(running()).toEqual(['unit']);
    await end('unit');
    await end('matrix');
    expect(await results).toEqual(['unit', 'matrix']);
  });
});

it.runIf(process.platform === 'linux')('the processor time of a run has that of its programs', () => {
  const before = processorSeconds() ?? 0;
  const work = 'const until = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < until);';
  spawnSync(process.execPath, ['-e', work]);
  expect((processorSeconds() ?? 0) - before).toBeGreaterThanOrEqual(0.28);
});
