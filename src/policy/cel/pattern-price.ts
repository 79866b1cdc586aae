/** The number of characters that cost one unit, for a pattern with few states. */
const CHARACTERS = 60;
/** An expanded pattern may be in as many states as it has parts. This many parts cost one unit a character. */
const PARTS = 100;

const TOKEN = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*(?:\]|\\?$)|\{(\d+)(?:,(\d*))?\}|[\s\S]/g;

/** The price of matching one character with a pattern (RE2), in units of the meter. */
export function patternPrice(pattern: string): number {
  return 1 / CHARACTERS + repeatedParts(pattern) / PARTS;
}

/** The number of parts that a pattern's counts add when they are expanded: 999 for `x{1000}`. */
function repeatedParts(pattern: string): number {
  const around: number[] = [];
  let [whole, last, added] = [0, 0, 0];
  for (const [token, least, most] of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      around.push(whole);
      [whole, last] = [0, 0];
    } else if (token === ')') {
      last = whole;
      whole += around.pop() ?? 0;
    } else if (least !== undefined) {
      const more = last * (Math.max(Number(least), Number(most || 0), 1) - 1);
      [whole, last, added] = [whole + more, last + more, added + more];
    } else {
      [whole, last] = [whole + 1, 1];
    }
  }
  return added;
}
