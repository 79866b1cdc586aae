import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// As `svc` sets it for itself, before Node's pool of threads is first used.
process.env.UV_THREADPOOL_SIZE ??= '72';

// Workers and programs of tests load the same files thousands of times.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('build/tests/compile-cache', import.meta.url));

export default defineConfig({
  test: {
    include: [
      'unit',
      'engine',
      'matrix',
      'dbt',
      'lake',
      'lambda',
      'idp',
      'browser',
      'clients',
      'collector',
      'vendors',
      'package',
    ].map((folder) => `test/${folder}/**/*.test.ts`),
    // A bound for what hangs. Most tests start programs, and a busy machine starts them ten times slower.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // Most tests wait for a program that starts; the default is one worker less than there are cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // CI's machines stall for seconds at times; the log names each test that needed a second try.
    retry: process.env.CI === undefined ? 0 : 1,
  },
});
