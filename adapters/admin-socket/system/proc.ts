import { readFile } from 'node:fs/promises';

/** A file of Linux's /proc; null elsewhere. */
export async function readProc(name: string): Promise<string | null> {
  return readFile(`/proc/${name}`, 'utf8').catch(() => null);
}

/** The numbers of lines such as `MemTotal:  123 kB`, in bytes where they are given in kB. */
export function toNumbers(text: string): ReadonlyMap<string, number> {
  const pairs = text.matchAll(/^(\w[^:\n]*):\s+(\d+)( kB)?/gm);
  return new Map(
    [...pairs].map(([, name = '', value = '', unit]) => [name, Number(value) * (unit ? 1024 : 1)]),
  );
}

/** A share as a percentage with one digit. */
export function percentOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round(Math.min(1, Math.max(0, part / whole)) * 1000) / 10;
}
