import * as v from 'valibot';
import { isObject } from '../../json.ts';
import { listOf, mapOf, nounOf, says, text, word } from '../../project/schema/shape.ts';

/** Marks a value that svc never shows and never bundles literally into an artefact. */
function hidden<Schema extends v.GenericSchema>(schema: Schema) {
  return v.pipe(schema, v.metadata({ hidden: true }));
}

/** A password, key or token. */
export function hiddenWord() {
  return hidden(word());
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
