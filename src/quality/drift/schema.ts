import { isList, isObject, type JsonObject, type JsonValue, own } from '../../json.ts';
import { type ChangeClass, type Difference, differ } from './change.ts';
import { EFFECTS, type Effect, isUnchanged } from './effect.ts';

/** The direction of values: clients send `input` and read `output`. The same change can break one of them only. */
type Direction = 'input' | 'output';

/** Keywords that only people and models read. */
const TEXTS = new Set(['title', 'description', 'examples', '$comment', '$schema']);
const OWN_STEPS = new Set(['properties', 'required', 'default', 'items']);

/** Compares two JSON Schemas of values that clients send (`input`) or read (`output`). */
export function compareSchemas(
  before: JsonObject,
  after: JsonObject,
  direction: Direction,
  path: string,
): readonly Difference[] {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)].toSorted());
  const found = [...keywords]
    .filter((keyword) => !OWN_STEPS.has(keyword) && !isUnchanged(before[keyword], after[keyword]))
    .map((keyword) => compareKeyword(keyword, before[keyword], after[keyword], { direction, path }));
  return [
    ...found.filter((one) => one !== null),
    ...compareDefault(before.default, after.default, { direction, path }),
    ...compareItems(before.items, after.items, { direction, path }),
    ...compareProperties(before, after, { direction, path }),
  ];
}

interface Place {
  readonly direction: Direction;
  readonly path: string;
}

type Value = JsonValue | undefined;

function compareKeyword(
  keyword: string,
  before: Value,
  after: Value,
  { direction, path }: Place,
): Difference | null {
  const at = `${path}.${keyword}`;
  if (TEXTS.has(keyword)) return differ(['wording', at, WORDING], before, after);
  const effect = EFFECTS[keyword]?.(before, after) ?? 'other';
  const open = keyword === 'additionalProperties' && direction === 'output';
  if (open && effect !== 'same') return differ(['widening', at, OPENED], before, after);
  return differ([...judge(effect, direction, at)], before, after);
}

const WORDING = 'Only the text differs.';
const OPENED = 'The declared type is the same.';

const MEANING: { readonly [direction in Direction]: { readonly [effect in Effect]: string } } = {
  input: {
    same: 'The same values are accepted.',
    narrower: 'Calls that were valid are rejected.',
    wider: 'All valid calls stay valid, and further ones are accepted.',
    other: 'Calls that were valid may be rejected.',
  },
  output: {
    same: 'The same values are returned.',
    narrower: 'Results are a subset of the former ones.',
    wider: 'Results may have new values.',
    other: 'Results may have new values.',
  },
};

const CLASSES: { readonly [direction in Direction]: { readonly [effect in Effect]: ChangeClass } } = {
  input: { same: 'wording', narrower: 'breaking', wider: 'widening', other: 'breaking' },
  output: { same: 'wording', narrower: 'widening', wider: 'breaking', other: 'breaking' },
};

function judge(effect: Effect, direction: Direction, at: string): [ChangeClass, string, string] {
  return [CLASSES[direction][effect], at, MEANING[direction][effect]];
}

/** A changed default changes the meaning of a call that omits the value. */
function compareDefault(before: Value, after: Value, { direction, path }: Place): readonly Difference[] {
  if (isUnchanged(before, after)) return [];
  const at = `${path}.default`;
  if (direction === 'output') return [differ(['wording', at, WORDING], before, after)];
  if (before === undefined)
    return [differ(['widening', at, 'It may be omitted and has a default.'], before, after)];
  return [differ(['breaking', at, 'Calls that omit it have another meaning.'], before, after)];
}

function compareItems(before: Value, after: Value, { direction, path }: Place): readonly Difference[] {
  if (isObject(before) && isObject(after)) return compareSchemas(before, after, direction, `${path}.items`);
  const found = isUnchanged(before, after)
    ? null
    : compareKeyword('items', before, after, { direction, path });
  return found === null ? [] : [found];
}

function compareProperties(before: JsonObject, after: JsonObject, place: Place): readonly Difference[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...Object.keys(was.fields), ...Object.keys(is.fields)])];
  return names.flatMap((name) => {
    const at = `${place.path}.properties.${name}`;
    const [old, now] = [own(was.fields, name), own(is.fields, name)];
    if (old === undefined)
      return [added(at, now, { ...was, isRequired: is.required.includes(name), ...place })];
    if (now === undefined) return [removed(at, old, { ...is, ...place })];
    return [
      ...compareRequired(at, was.required.includes(name), is.required.includes(name), place.direction),
      ...(isObject(old) && isObject(now) ? compareSchemas(old, now, place.direction, at) : []),
    ];
  });
}

interface Added {
  readonly direction: Direction;
  readonly isRequired: boolean;
  /** Whether the object takes undeclared properties. */
  readonly isOpen: boolean;
}

/** An open object already accepted any value under the name. */
function added(at: string, now: Value, { direction, isRequired, isOpen }: Added): Difference {
  if (direction === 'output')
    return differ(['widening', at, 'Results contain more than before.'], undefined, now);
  if (isRequired) return differ(['breaking', at, 'Every call must send it now.'], undefined, now);
  return isOpen
    ? differ(['breaking', at, 'Calls that send other values of it are rejected.'], undefined, now)
    : differ(['widening', at, 'Calls may send it.'], undefined, now);
}

function removed(at: string, old: Value, { direction, isOpen }: Omit<Added, 'isRequired'>): Difference {
  if (direction === 'output') return differ(['breaking', at, 'Readers no longer find it.'], old, undefined);
  if (!isOpen) return differ(['breaking', at, 'Calls that send it are rejected.'], old, undefined);
  return isObject(old) && old.default !== undefined
    ? differ(['breaking', at, 'Calls that omit it have another meaning.'], old, undefined)
    : differ(['widening', at, 'Calls may send any value of it, or none.'], old, undefined);
}

function compareRequired(at: string, was: boolean, is: boolean, direction: Direction): readonly Difference[] {
  if (was === is) return [];
  const path = `${at}.required`;
  if (direction === 'input') {
    const message = is ? 'Every call must send it now.' : 'It may be omitted.';
    return [differ([is ? 'breaking' : 'widening', path, message], was, is)];
  }
  const message = is ? 'It is always present.' : 'It may be missing from results.';
  return [differ([is ? 'widening' : 'breaking', path, message], was, is)];
}

function fieldsOf({ properties, required, additionalProperties }: JsonObject) {
  return {
    isOpen: additionalProperties !== false,
    fields: isObject(properties) ? properties : {},
    required: isList(required) ? required : [],
  };
}
