import { setTimeout as wait } from 'node:timers/promises';
import { familyOf, identityOf, memoryOf } from './processes.ts';

/** Megabytes in one quarter of a run: the middle of the server, and the most of it and of a process below it. */
export interface Memory {
  readonly middle: number;
  readonly most: number;
  readonly mostBelow: number;
}

/** The samples of a run. */
export interface Samples {
  readonly quarters: readonly Memory[];
  /** The processes that were ever seen and that still run, by name. */
  seen(): readonly string[];
}

const EVERY_MS = 100;
const QUARTERS = 4;

/** Reads the memory of a server and of the processes below it, until the signal. */
export async function sample(pid: number, ms: number, signal: AbortSignal): Promise<Samples> {
  const own: number[][] = Array.from({ length: QUARTERS }, () => []);
  const below: number[] = Array.from({ length: QUARTERS }, () => 0);
  const known = new Map<string, number>();
  const begun = performance.now();
  while (!signal.aborted) {
    const quarter = Math.min(QUARTERS - 1, Math.floor(((performance.now() - begun) * QUARTERS) / ms));
    const family = familyOf(pid);
    for (const process of family) known.set(identityOf(process), process);
    const [first = 0, ...others] = family.map(memoryOf);
    own[quarter]?.push(first);
    below[quarter] = Math.max(below[quarter] ?? 0, ...others);
    await wait(EVERY_MS);
  }
  const quarters = own.map((sizes, index) => ({
    middle: sizes.toSorted((a, b) => a - b)[sizes.length >> 1] ?? 0,
    most: Math.max(0, ...sizes),
    mostBelow: below[index] ?? 0,
  }));
  const seen = (): readonly string[] =>
    [...known].flatMap(([name, process]) => (name !== '' && identityOf(process) === name ? [name] : []));
  return { quarters, seen };
}
