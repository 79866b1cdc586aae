import { describe, expect, it } from 'vitest';
import { withinLimits } from '../../../../../adapters/duckdb-native/query/limits.ts';
import { createQueue } from '../../../../../adapters/duckdb-native/query/queue.ts';

/** Work that ends when it is told to. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

const forever = { signal: new AbortController().signal, timeoutMs: 60_000 };

describe('a line', () => {
  it('does so much at a time, and the rest in the order it came', async () => {
    const takePlace = createQueue({ places: 2, waiting: 10 });
    const begun: number[] = [];
    const pieces = Array.from({ length: 5 }, () => held());
    const done = pieces.map(({ work }, index) =>
      takePlace(() => {
        begun.push(index);
        return work();
      }),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    for (const [index, { end }] of pieces.entries()) {
      end();
      await done[index];
    }
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('is busy when too many wait, and open again when they are done', async () => {
    const takePlace = createQueue({ places: 1, waiting: 1 });
    const first = held();
    const running = takePlace(first.work);
    const waiting = takePlace(async () => 'second');
    await expect(takePlace(async () => 'third')).rejects.toMatchObject({ code: 'busy' });
    first.end();
    await running;
    expect(await waiting).toBe('second');
    expect(await takePlace(async () => 'fourth')).toBe('fourth');
  });

  it('goes on after work that fails', async () => {
    const takePlace = createQueue({ places: 1, waiting: 1 });
    await expect(takePlace(() => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
    expect(await takePlace(async () => 1)).toBe(1);
  });

  it('is left by those whose time is over while they wait, who are told that it is busy', async () => {
    const takePlace = createQueue({ places: 1, waiting: 1 });
    const first = held();
    const running = takePlace(first.work);
    const late = withinLimits({ ...forever, timeoutMs: 5 }, (limits) =>
      takePlace(async () => 'late', limits),
    ).answer;
    await expect(late).rejects.toMatchObject({ code: 'busy' });
    const controller = new AbortController();
    const gone = withinLimits({ ...forever, signal: controller.signal }, (limits) =>
      takePlace(async () => 'gone', limits),
    ).answer;
    controller.abort();
    await expect(gone).rejects.toMatchObject({ code: 'cancelled' });
    const next = withinLimits(forever, (limits) => takePlace(async () => 'next', limits)).answer;
    first.end();
    await running;
    expect(await next).toBe('next');
  });

  it('tells those whose time is over while they run that it was too short', async () => {
    const takePlace = createQueue({ places: 1, waiting: 1 });
    const { work, end } = held();
    const late = withinLimits({ ...forever, timeoutMs: 5 }, (limits) => takePlace(work, limits)).answer;
    await expect(late).rejects.toMatchObject({ code: 'deadline_exceeded' });
    end();
  });

  it('gives the place of stopped work that does not end to the next, to as many as it may', async () => {
    const takePlace = createQueue({ places: 1, waiting: 10, abandoned: 1 });
    const stuck = [held(), held()];
    const late = stuck.map(({ work }) =>
      withinLimits({ ...forever, timeoutMs: 50 }, (limits) => takePlace(work, limits)).answer.catch(
        ({ code }) => code,
      ),
    );
    expect(await Promise.all(late)).toEqual(['deadline_exceeded', 'busy']);
    expect(await takePlace(async () => 'next')).toBe('next');
    const [second] = [held()];
    const again = withinLimits({ ...forever, timeoutMs: 50 }, (limits) =>
      takePlace(second.work, limits),
    ).answer;
    await expect(again).rejects.toMatchObject({ code: 'deadline_exceeded' });
    const order: string[] = [];
    const waiting = takePlace(async () => order.push('waiting'));
    order.push('the second keeps its place');
    second.end();
    await waiting;
    expect(order).toEqual(['the second keeps its place', 'waiting']);
  });
});
