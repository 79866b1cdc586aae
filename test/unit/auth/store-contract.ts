import { expect, it } from 'vitest';
import { MAX_RECORD } from '../../../src/auth/sessions.ts';
import type { TokenStore } from '../../../src/ports.ts';

/** Opens a store of its own, or the same one again where a name is given twice, with the clock of the test. */
export type OpenStore = (now: () => number) => Promise<TokenStore> | TokenStore;

/** What every store must do, whatever is behind it. */
export function itIsATokenStore(open: OpenStore): void {
  const make = async () => {
    const clock = { ms: 1_700_000_000_000 };
    const store = await open(() => clock.ms);
    return { store, clock };
  };

  it('keeps a value with its version', async () => {
    const { store } = await make();
    expect(await store.get('a')).toBeNull();
    expect(await store.put('a', 'one', { seconds: 60 })).toBe(true);
    const first = await store.get('a');
    expect(first).toEqual({ value: 'one', version: expect.any(Number) });
    await store.put('a', 'two', { seconds: 60 });
    const second = await store.get('a');
    expect(second?.value).toBe('two');
    expect(second?.version).not.toBe(first?.version);
    await store.close();
  });

  it('writes over the version that was read, and over no other', async () => {
    const { store } = await make();
    expect(await store.put('a', 'one', { seconds: 60, ifVersion: 0 })).toBe(true);
    expect(await store.put('a', 'again', { seconds: 60, ifVersion: 0 })).toBe(false);
    const version = (await store.get('a'))?.version ?? -1;
    expect(await store.put('a', 'two', { seconds: 60, ifVersion: version })).toBe(true);
    expect(await store.put('a', 'late', { seconds: 60, ifVersion: version })).toBe(false);
    expect((await store.get('a'))?.value).toBe('two');
    expect(await store.put('b', 'none', { seconds: 60, ifVersion: 1 })).toBe(false);
    await store.close();
  });

  it('lets one of many win a race', async () => {
    const { store } = await make();
    await store.put('a', 'start', { seconds: 60 });
    const version = (await store.get('a'))?.version ?? -1;
    const puts = Array.from({ length: 10 }, (_, index) =>
      store.put('a', `by ${index}`, { seconds: 60, ifVersion: version }),
    );
    expect((await Promise.all(puts)).filter((won) => won)).toHaveLength(1);
    const claims = await Promise.all(Array.from({ length: 10 }, () => store.claimOnce('b', 60)));
    expect(claims.filter((won) => won)).toHaveLength(1);
    await store.close();
  });

  it('forgets on the second', async () => {
    const { store, clock } = await make();
    await store.put('a', 'one', { seconds: 60 });
    await store.claimOnce('b', 60);
    clock.ms += 59_999;
    expect(await store.get('a')).not.toBeNull();
    expect(await store.claimOnce('b', 60)).toBe(false);
    clock.ms += 1;
    expect(await store.get('a')).toBeNull();
    expect(await store.claimOnce('b', 60)).toBe(true);
    expect(await store.put('a', 'new', { seconds: 60, ifVersion: 0 })).toBe(true);
    await store.close();
  });

  it('deletes a key and a claim', async () => {
    const { store } = await make();
    for (const key of ['a', 'b']) await store.put(key, key, { seconds: 60 });
    await store.claimOnce('c', 60);
    for (const key of ['a', 'c', 'not there']) await store.delete(key);
    expect(await store.claimOnce('c', 60)).toBe(true);
    expect(await store.get('a')).toBeNull();
    expect((await store.get('b'))?.value).toBe('b');
    await store.close();
  });

  it('keeps what is long and odd as it is', async () => {
    const { store } = await make();
    const odd = ` 'é"\n\u{1F600}`;
    const value = `${'x'.repeat(MAX_RECORD - odd.length)}${odd}`;
    await store.put("odd 'key'", value, { seconds: 60 });
    expect((await store.get("odd 'key'"))?.value).toBe(value);
    await store.close();
  });
}
