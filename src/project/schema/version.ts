import * as v from 'valibot';
import { says } from './shape.ts';

/** The key `svc`: the integer 1. */
export const VERSION_ONE = v.literal(1, ({ input }) => {
  if (typeof input === 'string') {
    return says(
      'svc-version',
      `must be the number 1, not the text ${JSON.stringify(input.slice(0, 20))}.`,
      'Write `svc: 1`, without quotes or dots.',
    );
  }
  return typeof input === 'number' && input > 1
    ? says(
        'svc-version',
        `is ${input}, and this version of svc supports version 1 only.`,
        'Write `svc: 1`, or use a newer svc.',
      )
    : says('svc-version', 'must be the number 1.', 'Write `svc: 1`.');
});
