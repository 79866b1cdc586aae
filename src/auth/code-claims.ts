import type { AuthServer } from './types.ts';

/** Seconds for which a used code is remembered: its lifetime, and minutes by which clocks of instances may differ. */
const REMEMBERED_SECONDS = 600;
/** The value of a claim whose session must not go on. */
const SPOILT = 'spoilt';

const keyOf = (id: string) => `code:${id}`;

/** Claims a code; true only for the first use. Without a store, the provider's own code works only once. */
export async function claimCode({ store }: AuthServer, id: string): Promise<boolean> {
  return store === null || store.claimOnce(keyOf(id), REMEMBERED_SECONDS);
}

/**
 * Marks a code, so that a use that is on its way ends its own session. A session cannot be deleted before it exists: its
 * use may still wait for the provider.
 */
export async function spoilCode({ store }: AuthServer, id: string): Promise<void> {
  await store?.put(keyOf(id), SPOILT, { seconds: REMEMBERED_SECONDS });
}

/** Whether a code was used twice, or its browser has signed out. */
export async function isSpoilt({ store }: AuthServer, id: string): Promise<boolean> {
  return (await store?.get(keyOf(id)))?.value === SPOILT;
}
