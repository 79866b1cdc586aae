import * as v from 'valibot';
import { isObject, type JsonObject } from '../../json.ts';
import {
  formed,
  freeMap,
  listOf,
  mapOf,
  nounOf,
  says,
  strictMap,
  text,
  word,
} from '../../project/schema/shape.ts';

/** Marks a value that svc never shows and never bundles literally into an artefact. */
function hidden<Schema extends v.GenericSchema>(schema: Schema) {
  return v.pipe(schema, v.metadata({ hidden: true }));
}

/** A password, key or token. */
export function hiddenWord() {
  return hidden(word());
}

/** The SHA-256 of a secret, in hex. It is never shown, but an artefact may contain it. */
export function digest(fix: string) {
  const schema = formed(/^[\da-fA-F]{64}$/, 'a SHA-256: 64 hexadecimal digits', fix);
  return v.pipe(schema, v.metadata({ hidden: true, bundled: true }));
}

/** A map whose values may be secrets. */
export function hiddenTexts() {
  return hidden(mapOf(text()));
}

/** A parameter of a secret: text, a number, a boolean, or a map of these. */
export type SecretParameter = string | number | boolean | { readonly [name: string]: SecretParameter };

/** The parameters of a secret. Nested maps become `MAP` in SQL. */
export function hiddenParameters() {
  return hidden(
    mapOf(
      v.custom<SecretParameter>(isParameter, ({ input }) =>
        says(
          'wrong-type',
          `must be text, a number, true or false, or a map of these, not ${nounOf(input)}.`,
          'Write text after the colon; put lists into one text, separated by commas.',
        ),
      ),
    ),
  );
}

/** A list of scopes, addresses or other words. A single word may stand alone. */
export function words() {
  return v.pipe(
    v.unknown(),
    v.transform((value) => (typeof value === 'string' ? [value] : value)),
    listOf(word()),
  );
}

function isParameter(value: unknown): value is SecretParameter {
  if (isObject(value)) return Object.values(value).every(isParameter);
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Accepts an http or https address. */
export function url() {
  return v.pipe(
    word(),
    v.check(
      (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
      says('wrong-value', 'must be an address.', 'Write a complete address such as https://example.com.'),
    ),
    v.metadata({ kind: 'address' }),
  );
}

/** A map with some fixed keys. All other keys are names of the author's choice. */
export function openMap<const Entries extends v.ObjectEntries, Rest extends v.GenericSchema>(
  entries: Entries,
  rest: Rest,
) {
  const known = strictMap(entries);
  const others = mapOf(rest);
  return v.pipe(
    freeMap(),
    v.rawTransform<
      JsonObject,
      { readonly known: v.InferOutput<typeof known>; readonly others: v.InferOutput<typeof others> }
    >(({ dataset, addIssue, NEVER }) => {
      const split = Object.groupBy(Object.entries(dataset.value), ([key]) =>
        Object.hasOwn(entries, key) ? 'known' : 'others',
      );
      const first = v.safeParse(known, Object.fromEntries(split.known ?? []));
      const second = v.safeParse(others, Object.fromEntries(split.others ?? []));
      if (first.success && second.success) return { known: first.output, others: second.output };
      for (const { message, path } of [...(first.issues ?? []), ...(second.issues ?? [])]) {
        addIssue(path ? { message, path } : { message });
      }
      return NEVER;
    }),
    v.metadata({ entries, values: rest }),
  );
}
