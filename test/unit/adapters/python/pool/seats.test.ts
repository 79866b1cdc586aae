import { expect, it, onTestFinished } from 'vitest';
import { Seats } from '../../../../../adapters/python/pool/seats.ts';
import { createLimit } from '../../../../../adapters/python/pool/time-limit.ts';
import { failureOf } from '../../../../engine/python/subject.ts';

it('a seat that opens while all close is given to nobody, and closed', async () => {
  const opening = Promise.withResolvers<string>();
  const closed: string[] = [];
  const seats = new Seats<string>({
    size: 1,
    queue: 1,
    open: () => opening.promise,
    isUsable: () => true,
    close: async (seat) => void closed.push(seat),
  });
  const limit = createLimit({ timeoutMs: 60_000, subject: 'The call' });
  onTestFinished(() => limit.end());
  const taken = failureOf(seats.take(limit));
  const ended = seats.close();
  opening.resolve('seat');
  expect((await taken).code).toBe('python_unavailable');
  await ended;
  expect(closed).toEqual(['seat']);
});
