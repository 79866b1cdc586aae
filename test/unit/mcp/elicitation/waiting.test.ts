import { expect, it } from 'vitest';
import { whileWaiting } from '../../../../src/mcp/elicitation/waiting.ts';

/** Calls that wait until they are released. */
function createWaiting() {
  const release = Promise.withResolvers<void>();
  const calls: Promise<void>[] = [];
  return {
    wait: (session: object, text = '') => {
      calls.push(whileWaiting(session, { text }, () => release.promise));
    },
    release: async () => {
      release.resolve();
      await Promise.all(calls);
    },
  };
}

const tryAsk = (session: object, text = '') => whileWaiting(session, { text }, async () => 'asked');
const BUSY = { code: 'busy', message: 'Too many calls wait for answers; try again.' };

it('at most 16 calls of a session wait for answers', async () => {
  const [session, other, { wait, release }] = [{}, {}, createWaiting()];
  for (let call = 0; call < 15; call += 1) wait(session);
  expect(await tryAsk(session)).toBe('asked');
  wait(session);
  await expect(tryAsk(session)).rejects.toMatchObject(BUSY);
  expect(await tryAsk(other)).toBe('asked');
  await release();
  expect(await tryAsk(session)).toBe('asked');
});

it('at most 1,000 calls wait for answers', async () => {
  const { wait, release } = createWaiting();
  for (let session = 0; session < 1_000; session += 1) wait({});
  await expect(tryAsk({})).rejects.toMatchObject(BUSY);
  await release();
  expect(await tryAsk({})).toBe('asked');
});

it('the arguments of calls that wait have at most 8 MiB, but one call may have any number', async () => {
  const { wait, release } = createWaiting();
  expect(await tryAsk({}, 'x'.repeat(9 * 1024 * 1024))).toBe('asked');
  for (let call = 0; call < 8; call += 1) wait({}, 'x'.repeat(1_000_000));
  expect(await tryAsk({}, 'x'.repeat(300_000))).toBe('asked');
  await expect(tryAsk({}, 'x'.repeat(400_000))).rejects.toMatchObject(BUSY);
  await release();
  expect(await tryAsk({}, 'x'.repeat(1_000_000))).toBe('asked');
});

it('a call that got no answer waits no more', async () => {
  const session = {};
  for (let call = 0; call < 20; call += 1) {
    const failing = whileWaiting(session, {}, async () => {
      throw new Error('no answer');
    });
    await expect(failing).rejects.toThrow('no answer');
  }
  expect(await tryAsk(session)).toBe('asked');
});
