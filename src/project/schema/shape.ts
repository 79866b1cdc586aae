import * as v from 'valibot';
import { isInexact, isObject, type JsonObject, type JsonValue } from '../../json.ts';
import { nearestName } from '../../types/nearest.ts';
import type { Path } from '../yaml/position.ts';

/** Joins the code, message and fix of an issue into the one text that valibot carries. */
export function says(code: string, message: string, fix: string): string {
  return [code, message, fix].map((part) => part.replaceAll('\n', ' ')).join('\n');
}

/** Names the kind of a value in YAML's words. */
export function nounOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a map';
  const nouns: { readonly [type: string]: string } = { string: 'text', number: 'a number' };
  return nouns[typeof value] ?? `the word ${value}`;
}

const wrong =
  (expected: string, fix: string) =>
  ({ input }: v.BaseIssue<unknown>): string => {
    const unquoted = expected.startsWith('text') && ['number', 'boolean'].includes(typeof input);
    return says(
      'wrong-type',
      `must be ${expected}, not ${nounOf(input)}.`,
      unquoted ? 'Put it in quotes.' : fix,
    );
  };

/** Text. */
export function text() {
  return v.string(wrong('text', 'Write text after the colon.'));
}

/** Text with at least one character. */
export function word() {
  const message = says('wrong-value', 'must not be empty.', 'Write text after the colon, or remove the key.');
  return v.pipe(
    text(),
    v.check((value) => value.trim() !== '', message),
    v.metadata({ json: { pattern: '\\S' } }),
  );
}

/** Text that matches a pattern. `what` describes the form in messages. */
export function formed(pattern: RegExp, what: string, fix: string) {
  return v.pipe(
    text(),
    v.check((value) => pattern.test(value), says('wrong-value', `must be ${what}.`, fix)),
    v.metadata({ json: { pattern: pattern.source } }),
  );
}

/** `true` or `false`. */
export function flag() {
  return v.boolean(wrong('true or false', 'Write true or false, without quotes.'));
}

/** Any finite number. */
export function number() {
  const beyond = says(
    'wrong-value',
    'is a whole number beyond 2^53, which is not possible here.',
    'Write a number from -9007199254740991 to 9007199254740991, or remove the key.',
  );
  return v.number(wrongNumber('a number', 'Write a number, without quotes.', beyond));
}

/** A whole number within bounds. */
export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  const outside = says('wrong-value', `must be a whole number ${range}.`, 'Change the number.');
  return v.pipe(
    v.number(wrongNumber(`a whole number ${range}`, 'Write digits, without quotes.', outside)),
    v.check((value) => Number.isSafeInteger(value) && value >= least && value <= most, outside),
    v.metadata({ json: { type: 'integer', minimum: least, maximum: most } }),
  );
}

/** The message for a value that is no number. YAML gives a whole number beyond 2^53 as the text of its digits. */
function wrongNumber(expected: string, fix: string, beyond: string) {
  return (issue: v.BaseIssue<unknown>): string => {
    const { input } = issue;
    const isLong = typeof input === 'string' && /^-?\d+$/.test(input) && isInexact(Number(input));
    return isLong ? beyond : wrong(expected, fix)(issue);
  };
}

/** One of a list of words. `meant` maps common wrong words to the right ones, for the fix. */
export function choice<const Words extends readonly string[]>(
  words: Words,
  meant: { readonly [other: string]: string } = {},
) {
  return v.picklist(words, ({ input }) => {
    const other = typeof input === 'string' && Object.hasOwn(meant, input) ? meant[input] : undefined;
    const near = typeof input === 'string' ? (other ?? nearestName(input, words)) : null;
    const found = typeof input === 'string' ? JSON.stringify(input.slice(0, 64)) : nounOf(input);
    return says(
      'wrong-value',
      `must be one of ${words.join(', ')}, not ${found}.`,
      near === null ? 'Choose one of them.' : `Did you mean ${near}?`,
    );
  });
}

/** Any data. */
export function anything() {
  return v.custom<JsonValue>(() => true);
}

/** A list. */
export function listOf<Item extends v.GenericSchema>(
  item: Item,
  fix = 'Write each item on a line of its own after a dash, or all in [].',
) {
  return v.array(item, wrong('a list', fix));
}

/** A list; a single item may stand alone. */
export function listOrOne<Item extends v.GenericSchema>(item: Item) {
  return v.pipe(
    v.unknown(),
    v.transform((value) => (typeof value === 'string' ? [value] : value)),
    listOf(item),
    v.metadata({ or: item }),
  );
}

/** A key that may be absent. A key without a value counts as absent. */
export function optional<Inner extends v.GenericSchema>(inner: Inner) {
  return v.nullish(inner);
}

/** Any map. */
export function freeMap() {
  return v.pipe(
    v.custom<JsonObject>(isObject, wrong('a map', 'Write `key: value` lines, indented.')),
    v.metadata({ json: { type: 'object' } }),
  );
}

/** A map with the author's own names as keys and one kind of value. */
export function mapOf<Inner extends v.GenericSchema>(
  inner: Inner,
  name: v.GenericSchema<unknown, string> = v.string(),
) {
  return v.pipe(
    freeMap(),
    v.rawTransform<JsonObject, { readonly [name: string]: v.InferOutput<Inner> }>(({ dataset, addIssue }) => {
      const entries = Object.entries(dataset.value).map(([key, value]) => {
        const [named, result] = [v.safeParse(name, key), v.safeParse(inner, value)];
        for (const { message } of named.issues ?? []) addIssue({ message, path: [pathItem(key, 'key')] });
        for (const { message, path = [] } of result.issues ?? []) {
          addIssue({ message, path: [pathItem(key, 'value'), ...path] });
        }
        return [key, result.output as v.InferOutput<Inner>] as const;
      });
      return Object.fromEntries(entries);
    }),
    v.metadata({ values: inner }),
  );
}

/** A map with exactly these keys. Any other key is an issue, with a fix from `elsewhere` if it has one. */
export function strictMap<const Entries extends v.ObjectEntries>(
  entries: Entries,
  elsewhere: { readonly [key: string]: string } = {},
) {
  const known = Object.keys(entries);
  const inner = v.object(entries, missing);
  return v.pipe(
    freeMap(),
    v.rawTransform<JsonObject, v.InferOutput<typeof inner>>(({ dataset, addIssue, NEVER }) => {
      for (const key of Object.keys(dataset.value).filter((name) => !known.includes(name))) {
        const fix = Object.hasOwn(elsewhere, key) ? elsewhere[key] : undefined;
        addIssue({ message: unknownKey(key, known, fix), path: [pathItem(key, 'key')] });
      }
      const result = v.safeParse(inner, dataset.value);
      if (result.success) return result.output;
      for (const { message, path } of result.issues) addIssue(path ? { message, path } : { message });
      return NEVER;
    }),
    v.metadata({ entries }),
  );
}

/** Converts a path to the form of valibot's issues, for checks that valibot does not make itself. */
export function toIssuePath(path: Path): [v.IssuePathItem, ...v.IssuePathItem[]] | undefined {
  const [first, ...rest] = path.map((key) => pathItem(key, 'value'));
  return first && [first, ...rest];
}

function pathItem(key: string | number, origin: 'key' | 'value'): v.IssuePathItem {
  return { type: 'unknown', origin, input: undefined, key, value: undefined };
}

function missing({ expected }: v.BaseIssue<unknown>): string {
  return says('missing-field', 'is missing.', `Add ${expected?.replaceAll('"', '`') ?? 'it'}.`);
}

/** The fix for a key of several words: usually the rest of a text, such as `{ code: SELECT a, b FROM t }`. */
const IN_TEXT =
  'If it belongs to the text before it, put the whole text in quotes: a comma ends a text inside {}.';

function unknownKey(key: string, known: readonly string[], fix: string | undefined): string {
  const near = nearestName(key, known);
  const remove = /\s/.test(key) ? IN_TEXT : `Remove it; known here: ${known.join(', ')}.`;
  const suggestion = near === null ? remove : `Did you mean \`${near}\`?`;
  return says('unknown-key', 'is not a known key here.', fix ?? suggestion);
}

/** A type without the keys that may be null or undefined; such keys become optional. */
type Present<T> = {
  readonly [Key in keyof T as null extends T[Key] ? never : undefined extends T[Key] ? never : Key]: T[Key];
} & {
  readonly [Key in keyof T as null extends T[Key] ? Key : undefined extends T[Key] ? Key : never]?: Exclude<
    T[Key],
    null | undefined
  >;
};

/** A copy without the keys whose value is null or undefined. */
export function present<T extends object>(fields: T): Present<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as Present<T>;
}

/** The key `svc`: the integer 1. */
export const VERSION_ONE = v.literal(1, ({ input }) => {
  if (typeof input === 'string') {
    return says(
      'svc-version',
      `must be the number 1, not the text ${JSON.stringify(input.slice(0, 20))}.`,
      'Write `svc: 1`, without quotes or dots.',
    );
  }
  return typeof input === 'number' && input > 1
    ? says(
        'svc-version',
        `is ${input}, and this version of svc supports version 1 only.`,
        'Write `svc: 1`, or use a newer svc.',
      )
    : says('svc-version', 'must be the number 1.', 'Write `svc: 1`.');
});
