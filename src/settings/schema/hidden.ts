import * as v from 'valibot';
import { isObject } from '../../json.ts';
import { listOf, mapOf, nounOf, says, text, word } from '../../project/schema/shape.ts';

/** Marks what must never be shown, nor be bundled into an artefact as it is written. */
function hidden<Schema extends v.GenericSchema>(schema: Schema) {
  return v.pipe(schema, v.metadata({ hidden: true }));
}

/** A password, key or token. */
export function hiddenWord() {
  return hidden(word());
}

/** A map of names to values of which any may be a secret. */
export function hiddenTexts() {
  return hidden(mapOf(text()));
}

/** What a parameter of a secret may be: text, a number, a word, or a map of these. */
export type SecretParameter = string | number | boolean | { readonly [name: string]: SecretParameter };

/** The parameters of a secret; maps in them become `MAP` in SQL. */
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

/** A list of scopes, addresses or other words; one may stand alone. */
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
