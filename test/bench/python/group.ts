import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findInterpreter } from '../../../adapters/python/interpreter.ts';
import { openPython } from '../../../adapters/python/open.ts';
import type { Python, PythonHost } from '../../../src/ports.ts';
import { type Once, perCall, type Row } from '../measure.ts';
import { type Bare, residentMb, startBare } from './bare.ts';
import { benchRequest } from './request.ts';

const PROJECT = fileURLToPath(new URL('./project', import.meta.url));
const FILE = 'python/bench.py';
const ROUNDS = 15;
const NOBODY = { secret: () => null, config: () => ({ site: {}, user: {} }) };
const HOST: PythonHost = {
  execute: async () => [{ n: 1 }],
  notice() {},
  progress() {},
  event() {},
};

/** What our rules cost above a bare exchange of frames with a python3, in one process each. */
export async function measurePython(): Promise<readonly Row[]> {
  const { env } = process;
  const { executable } = await findInterpreter({ root: PROJECT, env });
  const bare = startBare(executable);
  const python = await open();
  try {
    const rows = [
      await row('a call', { python, bare, name: 'hello', calls: 300, budget: 2 }),
      await row('a call, async', { python, bare, name: 'later', calls: 300, budget: null }),
      await row('a call with one query', { python, bare, name: 'query', calls: 300, budget: 2 }),
      await row('a call that gives 1,000 rows', { python, bare, name: 'rows', calls: 30, budget: 2 }),
    ];
    return [...rows, await startRow(executable), ...(await memoryRows(python, bare))];
  } finally {
    await python.close();
    await bare.close();
  }
}

function open(): Promise<Python> {
  const options = { root: PROJECT, folder: 'python', env: process.env, settings: NOBODY, background: HOST };
  return openPython({ ...options, log: () => {}, size: 1 });
}

interface Measured {
  readonly python: Python;
  readonly bare: Bare;
  readonly name: string;
  readonly calls: number;
  readonly budget: number | null;
}

async function row(what: string, { python, bare, name, calls, budget }: Measured): Promise<Row> {
  const { a, b } = await bestInTurn(
    () => perCall(() => callOnce(python, name), calls),
    () => perCall(() => bare.call(name), calls),
    ROUNDS,
  );
  return { what, ours: a, base: b, baseName: 'bare frames', unit: 'µs', budget };
}

/** Two processes take turns: what a busy machine adds is as long as a call, and the best of many rounds is free of it. */
async function bestInTurn(a: Once, b: Once, rounds: number): Promise<{ a: number; b: number }> {
  const best = { a: Number.POSITIVE_INFINITY, b: Number.POSITIVE_INFINITY };
  for (let round = 0; round < rounds; round += 1) {
    best.a = Math.min(best.a, await a());
    best.b = Math.min(best.b, await b());
  }
  return best;
}

async function callOnce(python: Python, name: string): Promise<unknown> {
  const request = benchRequest(FILE, name, { name: 'Ada' });
  const { signal } = new AbortController();
  return python.call(request, HOST, { signal, timeoutMs: 10_000 });
}

/** From nothing to the first answer; ours looks for the interpreter first. */
async function startRow(executable: string): Promise<Row> {
  const timed = async (run: () => Promise<() => Promise<void>>) => {
    const start = performance.now();
    const close = await run();
    const took = performance.now() - start;
    await close();
    return took;
  };
  const { a, b } = await bestInTurn(
    () =>
      timed(async () => {
        const python = await open();
        await callOnce(python, 'hello');
        return () => python.close();
      }),
    () =>
      timed(async () => {
        const bare = startBare(executable);
        await bare.call('hello');
        return bare.close;
      }),
    ROUNDS,
  );
  return {
    what: 'a reload, to its first answer',
    ours: a,
    base: b,
    baseName: 'bare process',
    unit: 'ms',
    budget: null,
  };
}

async function memoryRows(python: Python, bare: Bare): Promise<readonly Row[]> {
  if (!existsSync('/proc/self/statm')) return [];
  const request = benchRequest('python/pid.py', 'pid', {});
  const { signal } = new AbortController();
  const { value } = await python.call(request, HOST, { signal, timeoutMs: 10_000 });
  const memory = { ours: residentMb(Number(value)), base: residentMb(bare.pid) };
  return [{ what: 'memory of a process', ...memory, baseName: 'bare process', unit: 'MB', budget: null }];
}
