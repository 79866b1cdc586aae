const FORM = /^(\d{1,9}(?:\.\d{1,3})?)\s?([KMGT])i?B$/i;
const PREFIXES = 'KMGT';

/** With less no engine can work. */
export const LEAST_MEMORY_MB = 24;

/** An amount such as `512MB` or `1.5 GiB` in whole MiB, steps of 1024 either way; null for what is none. */
export function toMegabytes(text: string): number | null {
  const [, amount, prefix = 'M'] = FORM.exec(text.trim()) ?? [];
  if (amount === undefined) return null;
  return Math.floor(Number(amount) * 1024 ** (PREFIXES.indexOf(prefix.toUpperCase()) - 1));
}

/** Whether text is an amount that a database can work with. */
export function isMemory(text: string): boolean {
  return (toMegabytes(text) ?? 0) >= LEAST_MEMORY_MB;
}
