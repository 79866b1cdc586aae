import * as v from 'valibot';
import { isMemory, LEAST_MEMORY_MB } from '../memory.ts';
import { says, text, whole } from './shape.ts';

/** An amount of memory: a text with its unit, or a number of megabytes. */
export function memory() {
  return v.pipe(
    v.unknown(),
    v.transform((value) => (typeof value === 'number' ? `${value}MB` : value)),
    text(),
    v.check(
      isMemory,
      says(
        'wrong-value',
        `must be an amount of memory of ${LEAST_MEMORY_MB}MB or more.`,
        'Write one such as 512MB.',
      ),
    ),
    v.metadata({ kind: 'amount', or: whole(LEAST_MEMORY_MB) }),
  );
}
