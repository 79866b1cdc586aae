import { expect, it } from 'vitest';
import { createBodyRoom, SMALL_BODY } from '../../../src/http/body-room.ts';

const MIB = 1024 * 1024;
const USERS = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, email: null, claims: {} }) as never);
const [ADA = null, BOB = null] = USERS;

it('has room for so many large bodies of one client, and for those of others', () => {
  const take = createBodyRoom();
  const leaves = [1, 2, 3, 4].map(() => take(ADA, '192.0.2.1', MIB));
  expect(() => take(ADA, '192.0.2.2', SMALL_BODY + 1)).toThrow('Too many large requests run');
  take(BOB, '192.0.2.1', MIB);
  take(null, '192.0.2.1', MIB);
  leaves[0]?.();
  take(ADA, '192.0.2.1', MIB);
  expect(() => take(ADA, '192.0.2.1', SMALL_BODY + 1)).toThrow('Too many large requests run');
});

it('has room for so many of all clients together, and for small ones at all times', () => {
  const take = createBodyRoom();
  const leaves = USERS.slice(0, 4).flatMap((user) => [1, 2, 3, 4].map(() => take(user, undefined, MIB)));
  const [, , , , last = null] = USERS;
  expect(() => take(last, undefined, SMALL_BODY + 1)).toThrow('Too many large requests run');
  for (let count = 0; count < 10_000; count += 1) take(last, undefined, SMALL_BODY);
  for (const leave of leaves) leave();
  for (const user of USERS.slice(1)) for (const _ of [1, 2, 3, 4]) take(user, undefined, MIB);
});

it('is shared by clients that cannot be told apart, such as those of a local socket', () => {
  const take = createBodyRoom();
  for (let count = 0; count < 16; count += 1) take(null, undefined, MIB);
  expect(() => take(null, undefined, MIB)).toThrow('Too many large requests run');
});

it('is given back once', () => {
  const take = createBodyRoom();
  const leave = take(ADA, undefined, MIB);
  for (const _ of [1, 2, 3]) take(ADA, undefined, MIB);
  leave();
  leave();
  take(ADA, undefined, MIB);
  expect(() => take(ADA, undefined, MIB)).toThrow('Too many large requests run');
});
