import { isList, isObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { Log } from '../../ports.ts';
import { withoutCredentials } from '../../redaction/credential-names.ts';
import {
  type HiddenText,
  longestFirst,
  longestForm,
  REDACTED,
  removeTexts,
} from '../../redaction/hidden-texts.ts';
import { splitLines } from '../../redaction/text-forms.ts';

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
  'sslmode',
  'bucket',
]);

/** Whether a secret's parameter with this name is not secret itself. */
export function isPlainParameter(name: string): boolean {
  return PLAIN.has(name.toLowerCase());
}

/**
 * Lists the parameters of a secret that are secret themselves, for `Concealment.add`. A host, a user name or an address
 * is not, unless it contains a credential: an ordinary word such as `localhost` must not vanish from texts.
 */
export function hiddenValues(parameters: JsonObject): readonly JsonValue[] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    isPlainParameter(name) && !holdsCredential(value) ? [] : [value],
  );
}

function holdsCredential(value: JsonValue): boolean {
  return typeof value === 'string' && withoutCredentials(value, REDACTED) !== value;
}

/** Collects the secrets in use and removes them from texts. */
interface Concealment {
  /** Treats every text in a value as a secret from now on. */
  add(value: JsonValue): void;
  /** Whether there are secrets to remove. */
  readonly hides: () => boolean;
  /** Removes the secrets. Returns at least the first `most` characters, and may leave out the rest to save time. */
  conceal(text: string, most?: number): string;
}

/** The shortest secret that is removed; a shorter one occurs in other texts by chance. */
const MIN_HIDDEN = 6;
/** Bounds the memory, because each reload may add secrets. The latest are kept, and all that were added together. */
const MAX_HIDDEN = 1_000;

/** Creates a concealment without secrets. */
export function createConcealment(): Concealment {
  let given: readonly string[] = [];
  let hidden: readonly HiddenText[] | null = null;
  const hiddenTexts = () => (hidden ??= longestFirst(given.map((text) => ({ text, forms: null }))));
  return {
    add(value) {
      const found = new Set([...textsIn(value)].filter((text) => text.length >= MIN_HIDDEN));
      if (found.size === 0) return;
      const older = given.filter((text) => !found.has(text));
      given = [...older, ...found].slice(-Math.max(MAX_HIDDEN, found.size));
      hidden = null;
    },
    hides: () => given.length > 0,
    conceal: (text, most = text.length) => {
      const texts = hiddenTexts();
      // The beginning of a secret at the end of a part is not recognised. No removal makes a text twice as long.
      const spare = text.length > most ? 2 * longestForm(texts) : 0;
      for (let end = most + spare; end < text.length; end *= 2) {
        const bare = removeTexts(texts, text.slice(0, end));
        if (bare.length >= most + spare) return bare.slice(0, bare.length - spare);
      }
      return removeTexts(texts, text);
    },
  };
}

/** Applies `conceal` to every text in an object, names included. */
export function concealIn(object: JsonObject, conceal: Concealment['conceal']): JsonObject {
  const inside = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return conceal(value);
    if (isList(value)) return value.map(inside);
    return isObject(value) ? concealIn(value, conceal) : value;
  };
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [conceal(name), inside(value)]));
}

/** Creates a log without secrets in messages and fields. */
export function concealedLog(log: Log, { hides, conceal }: Pick<Concealment, 'hides' | 'conceal'>): Log {
  return (whole) => {
    if (!hides()) return log(whole);
    const { fields, ...line } = whole;
    const shown = fields === undefined ? {} : { fields: concealIn(fields, conceal) };
    log({ ...line, message: conceal(line.message), ...shown });
  };
}

/** Certificates and public keys in PEM. Everybody may read them. */
const PUBLIC_PEM =
  /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE|(?:RSA )?PUBLIC KEY)-----[\s\S]*?-----END \1-----/g;

/** A text of several lines, such as a private key, is also removed line by line, because it may be printed so. */
function* textsIn(value: JsonValue): Generator<string> {
  if (typeof value === 'string') {
    const secret = value.replaceAll(PUBLIC_PEM, '');
    if (secret.trim() === '') return;
    yield value;
    yield* splitLines(secret);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) yield* textsIn(part);
  }
}
