const FORM = /^(\d{1,9}(?:\.\d{1,3})?)\s?([KMGT])i?B$/i;
const PREFIXES = 'KMGT';

/** The least memory that an engine needs. */
export const LEAST_MEMORY_MB = 24;

/** Converts an amount such as `512MB` or `1.5 GiB` to whole MiB. Every unit is a power of 1024. Returns null for other texts. */
export function toMegabytes(text: string): number | null {
  const [, amount, prefix = 'M'] = FORM.exec(text.trim()) ?? [];
  if (amount === undefined) return null;
  return Math.floor(Number(amount) * 1024 ** (PREFIXES.indexOf(prefix.toUpperCase()) - 1));
}

/** Whether a text is an amount of memory that suffices for a database. */
export function isMemory(text: string): boolean {
  return (toMegabytes(text) ?? 0) >= LEAST_MEMORY_MB;
}
