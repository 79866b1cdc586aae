import { describe, expect, it } from 'vitest';
import type { Door } from '../fuzz/door.ts';
import { DOORS } from '../fuzz/doors.ts';
import { Found, knock } from '../fuzz/knock.ts';

/* `npm run fuzz` tries the same doors for longer. */

const SEED = Number(process.env.SVC_FUZZ_SEED ?? 20_261_123);

describe(`damaged input (seed ${SEED})`, () => {
  // Requirements: doors.hold
  it.each(DOORS.map((door) => [door.name, door] as const))(
    'at the door %s',
    { timeout: 300_000 },
    async (_, door) => {
      const { inputs } = await knock(door, SEED, { inputs: door.quick });
      expect(inputs).toBeGreaterThanOrEqual(door.quick);
    },
  );

  it('is found and reduced where a door does not hold', async () => {
    const weak: Door = {
      name: 'weak',
      promise: 'Brackets are balanced.',
      seeds: ['[1, 2, [3]]'],
      words: ['[', ']', 'x'],
      quick: 1_000,
      open: async () => ({
        ask: async (input) => {
          if (Buffer.from(input).includes('[[')) throw new RangeError('too deep');
        },
      }),
    };
    const found: unknown = await knock(weak, SEED, { inputs: weak.quick }).catch((thrown: unknown) => thrown);
    expect(found).toBeInstanceOf(Found);
    expect((found as Found).message).toMatch(
      /^the door weak \(seed \d+\) given ".*\[\[.*": RangeError: too deep/,
    );
  });
});
