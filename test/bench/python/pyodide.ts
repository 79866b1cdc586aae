import { fileURLToPath } from 'node:url';
import { openPython } from '../../../adapters/python/open.ts';
import { openPyodide } from '../../../adapters/python-pyodide/open.ts';
import type { Python, PythonHost } from '../../../src/ports.ts';
import { inTurn, perCall, type Row } from '../measure.ts';
import { benchRequest } from './request.ts';

const PROJECT = fileURLToPath(new URL('./project', import.meta.url));
const ROUNDS = 7;
const HOST: PythonHost = {
  execute: async () => [{ n: 1 }],
  notice() {},
  progress() {},
  event() {},
};
const OPTIONS = {
  root: PROJECT,
  folder: 'python',
  settings: { secret: () => null, config: () => ({ site: {}, user: {} }) },
  background: HOST,
  log: () => {},
  size: 1,
};

/** Python in WebAssembly, in a thread, beside python3 in a child process. */
export async function measurePyodide(): Promise<readonly Row[]> {
  const [pyodide, child] = [await openPyodide(OPTIONS), await openPython({ ...OPTIONS, env: process.env })];
  const pair = { pyodide, child };
  try {
    return [
      await row('a call', pair, 'hello', 300),
      await row('a call, async', pair, 'later', 300),
      await row('a call with one query', pair, 'query', 300),
      await row('a call that gives 1,000 rows', pair, 'rows', 30),
      await startRow(),
    ];
  } finally {
    await Promise.all([pyodide.close(), child.close()]);
  }
}

interface Pair {
  readonly pyodide: Python;
  readonly child: Python;
}

async function row(what: string, { pyodide, child }: Pair, name: string, calls: number): Promise<Row> {
  const { a, b } = await inTurn(
    () => perCall(() => callOnce(pyodide, name), calls),
    () => perCall(() => callOnce(child, name), calls),
    ROUNDS,
  );
  return { what, ours: a, base: b, baseName: 'python3', unit: 'µs', budget: null };
}

/** From nothing to the first answer: what follows a call that had to be ended. */
async function startRow(): Promise<Row> {
  const timed = async (open: () => Promise<Python>) => {
    const start = performance.now();
    const python = await open();
    await callOnce(python, 'hello');
    const took = performance.now() - start;
    await python.close();
    return took;
  };
  const { a, b } = await inTurn(
    () => timed(() => openPyodide(OPTIONS)),
    () => timed(() => openPython({ ...OPTIONS, env: process.env })),
    ROUNDS,
  );
  const what = 'an interpreter: start to first answer';
  return { what, ours: a, base: b, baseName: 'python3', unit: 'ms', budget: null };
}

async function callOnce(python: Python, name: string): Promise<unknown> {
  const request = benchRequest('python/bench.py', name, { name: 'Ada' });
  return python.call(request, HOST, { signal: new AbortController().signal, timeoutMs: 10_000 });
}
