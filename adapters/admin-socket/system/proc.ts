import { readFile } from 'node:fs/promises';

/** Reads a file of Linux's /proc; null on other systems. */
export async function readProc(name: string): Promise<string | null> {
  return readFile(`/proc/${name}`, 'utf8').catch(() => null);
}

/** Parses lines such as `MemTotal:  123 kB`; values in kB become bytes. */
export function toNumbers(text: string): ReadonlyMap<string, number> {
  const pairs = text.matchAll(/^(\w[^:\n]*):\s+(\d+)( kB)?/gm);
  return new Map(
    [...pairs].map(([, name = '', value = '', unit]) => [name, Number(value) * (unit ? 1024 : 1)]),
  );
}

/** Returns a share as a percentage between 0 and 100, with one decimal. */
export function percentOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round(Math.min(1, Math.max(0, part / whole)) * 1000) / 10;
}
