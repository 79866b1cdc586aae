import { expect, it } from 'vitest';
import { createCallQueue, type QueueSlot } from '../../../../adapters/python-rpc/queue.ts';

function joined(place: QueueSlot | null): QueueSlot {
  if (place === null) throw new Error('there is no place');
  return place;
}

it('gives the interpreter to one after the other, in their order', async () => {
  const queue = createCallQueue(3);
  const places = [1, 2, 3].map(() => joined(queue.join(60_000)));
  const order: number[] = [];
  const all = places.map(async (place, index) => {
    expect(await place.begin()).toBe('begun');
    order.push(index);
    await null;
    place.leave();
  });
  expect(places.map(({ waits }) => waits)).toEqual([false, true, true]);
  expect(queue.join(60_000)).toBe(null);
  await Promise.all(all);
  expect(order).toEqual([0, 1, 2]);
  expect(queue.join(60_000)?.waits).toBe(false);
});

it('a caller whose time is over while it waits has no place any more', async () => {
  const queue = createCallQueue(2);
  const first = joined(queue.join(60_000));
  await first.begin();
  const late = joined(queue.join(5));
  expect(queue.join(60_000)).toBe(null);
  expect(await late.begin()).toBe('late');
  late.leave();
  const next = joined(queue.join(60_000));
  first.leave();
  expect(await next.begin()).toBe('begun');
});

it('an interpreter that is never given back is taken, and that is told', async () => {
  const queue = createCallQueue(2, 5);
  await joined(queue.join(5)).begin();
  const next = joined(queue.join(60_000));
  expect(await next.begin()).toBe('lost');
  next.leave();
  expect(await joined(queue.join(60_000)).begin()).toBe('begun');
});
