/** Characters that cost as much as one turn of a loop, for a pattern that goes through them in few states. */
const CHARACTERS = 60;
/** Written out, a pattern may be in as many states at once as it has parts: so many cost one turn a character. */
const PARTS = 100;

const TOKEN = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[\s\S]/g;

/** What each character of a text costs when a pattern (RE2) is put to it, in units of the meter. */
export function patternPrice(pattern: string): number {
  return 1 / CHARACTERS + repeatedParts(pattern) / PARTS;
}

/** How many parts the counts of a pattern add when they are written out: 999 for `x{1000}`. */
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
