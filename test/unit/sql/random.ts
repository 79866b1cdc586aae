/** How often random values are tried. */
export const ROUNDS = 3000;

/** A seeded generator, so that a failure repeats. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A text of digits. */
export function randomDigits(random: () => number, most: number): string {
  const length = 1 + Math.floor(random() * most);
  return Array.from({ length }, () => Math.floor(random() * 10)).join('');
}

/** An exact decimal as a fraction of integers, from a number or a string. */
export function toFraction(form: number | string): { unscaled: bigint; scale: number } {
  const [mantissa = '', exponent = '0'] = String(form).toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const unscaled = BigInt(whole + fraction);
  return scale >= 0 ? { unscaled, scale } : { unscaled: unscaled * 10n ** BigInt(-scale), scale: 0 };
}
