import { setTimeout as wait } from 'node:timers/promises';
import type { Mixed } from './calls.ts';
import type { Random } from './random.ts';
import type { Soaked } from './server.ts';

const LANES = 16;
const TICK_MS = 5;
/** Beyond, a call is not sent: the server is far behind. */
const MOST_BUSY = 2_000;

/** A tool of the mix, by its share. */
export function choose(mix: readonly Mixed[], random: Random): Mixed {
  const total = mix.reduce((sum, { share }) => sum + share, 0);
  let left = random() * total;
  const found = mix.find(({ share }) => {
    left -= share;
    return left < 0;
  });
  const [first] = mix;
  if (first === undefined) throw new Error('the mix is empty');
  return found ?? first;
}

/** The right answers of a second, at 16 calls at a time. */
export async function measureCapacity(soaked: Soaked, ms: number, random: Random): Promise<number> {
  const begun = performance.now();
  let right = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < begun + ms) {
      const { outcome } = await soaked.callTool(choose(soaked.mix, random));
      if (outcome === 'right') right += 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return (right * 1_000) / (performance.now() - begun);
}

/** Calls at a fixed rate, however slowly the server answers, until the signal. Returns the calls that were not sent. */
export async function offer(
  soaked: Soaked,
  {
    perSecond,
    random,
    signal,
  }: { readonly perSecond: number; readonly random: Random; readonly signal: AbortSignal },
): Promise<number> {
  const begun = performance.now();
  const running = new Set<Promise<unknown>>();
  let sent = 0;
  let unsent = 0;
  while (!signal.aborted) {
    const due = Math.floor(((performance.now() - begun) * perSecond) / 1_000);
    for (; sent + unsent < due; ) {
      if (soaked.line.busy() >= MOST_BUSY) {
        unsent += 1;
        continue;
      }
      sent += 1;
      const one = soaked.callTool(choose(soaked.mix, random));
      running.add(one);
      void one.finally(() => running.delete(one));
    }
    await wait(TICK_MS);
  }
  await Promise.all(running);
  return unsent;
}
