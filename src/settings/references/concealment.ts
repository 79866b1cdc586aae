import type { JsonValue } from '../../json.ts';

/** The text that replaces a secret. */
export const REDACTED = '[REDACTED]';

/** Parameters of secrets that describe a place and hold no credential. */
const PLAIN = new Set([
  'host',
  'port',
  'database',
  'user',
  'username',
  'region',
  'endpoint',
  'scope',
  'url_style',
  'provider',
  'url',
  'api_url',
]);

/** Whether a secret's parameter with this name is not secret itself. */
export function isPlainParameter(name: string): boolean {
  return PLAIN.has(name.toLowerCase());
}

/** Collects the secrets in use and removes them from texts. */
export interface Concealment {
  /** Treats every text in a value as a secret from now on. */
  add(value: JsonValue): void;
  conceal(text: string): string;
}

/** The shortest secret that is removed; a shorter one occurs in other texts by chance. */
const MIN_HIDDEN = 6;
/** Bounds the memory, because each reload may add secrets. */
const MAX_HIDDEN = 1_000;

/** Creates a concealment without secrets. */
export function createConcealment(): Concealment {
  // Longest first, because one secret may be the beginning of another.
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

/** A text of several lines, such as a key, is also removed line by line, because it may be printed so. */
function* textsIn(value: JsonValue): Generator<string> {
  if (typeof value === 'string') {
    yield value;
    if (value.includes('\n')) yield* value.split('\n').map((line) => line.trim());
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) yield* textsIn(part);
  }
}

/** Also removes the secret's percent-encoded form, which addresses contain. */
function without(text: string, secret: string): string {
  return text.replaceAll(secret, REDACTED).replaceAll(encoded(secret), REDACTED);
}

/** Percent-encodes a secret. Half of a surrogate pair cannot be encoded. */
function encoded(secret: string): string {
  return encodeURIComponent(secret.toWellFormed());
}
