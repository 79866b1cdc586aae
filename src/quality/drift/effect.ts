import { isList, type JsonValue } from '../../json.ts';
import { isSame } from '../../types/canonical.ts';
import { isMultipleOf, parseDecimal } from '../../types/decimal.ts';

/** The effect of a change on the set of values that a schema allows. `same` is another spelling of the same set. */
export type Effect = 'same' | 'narrower' | 'wider' | 'other';

type Value = JsonValue | undefined;
type Judge = (before: Value, after: Value) => Effect;

/** The effect of each keyword of JSON Schema 2020-12 on the set of values. */
export const EFFECTS: { readonly [keyword: string]: Judge } = {
  type: (before, after) => ofSets(typesOf(before), typesOf(after)),
  enum: (before, after) => present(before, after) ?? ofSets(textsOf(before), textsOf(after)),
  const: ofPresence,
  format: ofPresence,
  pattern: ofPresence,
  items: ofPresence,
  multipleOf: (before, after) => present(before, after) ?? ofSteps(Number(before), Number(after)),
  uniqueItems: (before, after) => ofFlags(before === true, after === true),
  additionalProperties: (before, after) => ofFlags(before === false, after === false),
  ...Object.fromEntries(lowest().map((keyword) => [keyword, ofLowest])),
  ...Object.fromEntries(highest().map((keyword) => [keyword, ofHighest])),
};

function lowest(): readonly string[] {
  return ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];
}

function highest(): readonly string[] {
  return ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];
}

/** An added bound narrows, a removed bound widens. */
function present(before: Value, after: Value): Effect | null {
  if (before === undefined) return 'narrower';
  return after === undefined ? 'wider' : null;
}

function ofPresence(before: Value, after: Value): Effect {
  return present(before, after) ?? 'other';
}

function ofLowest(before: Value, after: Value): Effect {
  return present(before, after) ?? (Number(after) > Number(before) ? 'narrower' : 'wider');
}

function ofHighest(before: Value, after: Value): Effect {
  return present(before, after) ?? (Number(after) < Number(before) ? 'narrower' : 'wider');
}

function ofFlags(before: boolean, after: boolean): Effect {
  if (before === after) return 'same';
  return after ? 'narrower' : 'wider';
}

function ofSteps(before: number, after: number): Effect {
  if (isStepOf(after, before)) return 'narrower';
  return isStepOf(before, after) ? 'wider' : 'other';
}

/** Compared as decimals, because 0.3 is three times 0.1. */
function isStepOf(whole: number, step: number): boolean {
  const divisor = parseDecimal(String(step));
  return divisor !== null && divisor.coefficient > 0n && isMultipleOf(whole, divisor);
}

function ofSets(before: readonly string[], after: readonly string[]): Effect {
  const kept = before.every((one) => after.includes(one));
  const known = after.every((one) => before.includes(one));
  if (kept && known) return 'same';
  if (known) return 'narrower';
  return kept ? 'wider' : 'other';
}

/** Every integer is a number. A schema without a type allows all types. */
function typesOf(type: Value): readonly string[] {
  const names = type === undefined ? ALL : isList(type) ? type.map(String) : [String(type)];
  return names.includes('number') ? [...new Set([...names, 'integer'])] : names;
}

const ALL = ['null', 'boolean', 'string', 'number', 'integer', 'array', 'object'];

function textsOf(values: Value): readonly string[] {
  return isList(values) ? values.map((value) => JSON.stringify(value)) : [];
}

/** Whether a keyword has the same meaning before and after. */
export function isUnchanged(before: Value, after: Value): boolean {
  if (before === undefined || after === undefined) return before === after;
  return isSame(before, after);
}
