import { isList, isObject, type JsonValue } from '../../src/json.ts';
import { withoutCredentials } from '../../src/redaction/credential-names.ts';
import { REDACTED } from '../../src/redaction/hidden-texts.ts';
import { isPlainParameter } from '../../src/settings/references/concealment.ts';
import type { DbtChange } from './yaml-merge.ts';

/** A change as it may be printed. A profile that was written by hand may hold credentials. */
export function toShownChange(change: DbtChange): DbtChange {
  const { key, from, to } = change;
  const show = /\.secrets\[/.test(key) ? toShownSecret : toShownValue;
  return { ...change, from: show(from), to: show(to) };
}

/** Shows the parameters of a secret that are no credentials: its place, and references to variables. */
function toShownSecret(secret: JsonValue): JsonValue {
  if (!isObject(secret)) return secret === null ? null : REDACTED;
  const shown = Object.entries(secret).map(([name, value]) => [
    name,
    name === 'type' || name === 'name' || isPlainParameter(name) ? toShownValue(value) : toHidden(value),
  ]);
  return Object.fromEntries(shown);
}

/** A reference without a default, which may be a credential. */
const REFERENCE = /^\{\{\s*env_var\(\s*(?:'\w+'|"\w+")\s*\)\s*\}\}$/;

function toHidden(value: JsonValue): JsonValue {
  if (isObject(value)) return mapFields(value, toHidden);
  return value === null || (typeof value === 'string' && REFERENCE.test(value)) ? value : REDACTED;
}

/** Removes credentials that can be recognised, such as a token in the path of a database. */
function toShownValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return withoutCredentials(value, REDACTED);
  if (isList(value)) return value.map(toShownValue);
  return isObject(value) ? mapFields(value, toShownValue) : value;
}

function mapFields(fields: { readonly [name: string]: JsonValue }, show: (value: JsonValue) => JsonValue) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, show(value)]));
}
