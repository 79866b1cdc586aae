import type { JsonValue } from '../../json.ts';

/** What stands in place of a secret. */
export const REDACTED = '[REDACTED]';

/** Secrets that were given away, and texts without them. */
export interface Concealment {
  /** Every text in it is a secret from now on. */
  add(value: JsonValue): void;
  conceal(text: string): string;
}

/** Shorter ones would be found in every text. */
const MIN_HIDDEN = 6;
/** Reloads bring new ones. */
const MAX_HIDDEN = 1_000;

/** Knows no secret yet. */
export function createConcealment(): Concealment {
  // The longest first: one may be the beginning of another.
  let given: readonly string[] = [];
  return {
    add(value) {
      const found = [...textsIn(value)].filter((text) => text.length >= MIN_HIDDEN && !given.includes(text));
      if (found.length === 0 || given.length >= MAX_HIDDEN) return;
      given = [...given, ...new Set(found)].toSorted((a, b) => b.length - a.length);
    },
    conceal: (text) => given.reduce(without, text),
  };
}

/** Texts of several lines, as keys are, are printed line by line. */
function* textsIn(value: JsonValue): Generator<string> {
  if (typeof value === 'string') {
    yield value;
    if (value.includes('\n')) yield* value.split('\n').map((line) => line.trim());
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) yield* textsIn(part);
  }
}

/** Also as an address has them. */
function without(text: string, secret: string): string {
  return text.replaceAll(secret, REDACTED).replaceAll(encoded(secret), REDACTED);
}

/** Half of a surrogate pair has no form in an address. */
function encoded(secret: string): string {
  return encodeURIComponent(secret.toWellFormed());
}
