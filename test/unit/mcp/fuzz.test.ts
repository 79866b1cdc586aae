import { describe, expect, it } from 'vitest';
import { createTestApp } from './fixture.ts';
import { createNoiseRuntime, sendNoise } from './noise.ts';

// A second on a machine with nothing else to do.
const SLOWLY = { timeout: 120_000 };

// The same noise at length, and over a socket: test/unit/adapters/node/http/fuzz.test.ts.
describe('mutated messages', () => {
  it.each([1, 2, 3])('are all answered, none with a server error (seed %i)', SLOWLY, async (seed) => {
    const runtime = createNoiseRuntime();
    const seen = await sendNoise(createTestApp(runtime), seed, 2_000);
    expect([...seen].toSorted()).toEqual([200, 202, 204, 400, 403, 404, 405, 406, 413, 415]);
    expect(runtime.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
