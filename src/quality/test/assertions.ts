import { isList, isObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { EndpointTest } from '../../project/model.ts';
import { isSame } from '../../types/canonical.ts';
import { toDiff, toShort } from './diff.ts';

/** Returns the reason why an assertion fails for a result; null if it holds. */
type Check = (value: JsonValue) => string | null;

/** Checks a result against the assertions of a test, in the order of the reference. Returns the first failure. */
export function checkAssertions(test: EndpointTest, value: JsonValue): string | null {
  for (const check of checksOf(test)) {
    const failure = check(value);
    if (failure !== null) return failure;
  }
  return null;
}

function checksOf(test: EndpointTest): readonly Check[] {
  return [
    ...when(test.result, equals),
    ...when(test.result_contains, contains),
    ...when(test.result_not_contains, containsNone),
    ...when(test.result_contains_item, (item) => containsItems('result_contains_item', [item])),
    ...when(test.result_contains_all, (items) => containsItems('result_contains_all', items)),
    ...when(test.result_length, hasLength),
    ...when(test.result_contains_text, containsText),
  ];
}

function when<T>(expected: T | undefined, create: (expected: T) => Check): readonly Check[] {
  return expected === undefined ? [] : [create(expected)];
}

function equals(expected: JsonValue): Check {
  return (value) =>
    isSame(expected, value) ? null : `result: differs from what was expected\n${toDiff(expected, value)}`;
}

/** A map must have these keys and values, a list must have such an item, and a text must contain the text. */
function contains(expected: JsonValue): Check {
  return (value) => {
    if (isList(value)) return containsItems('result_contains', [expected])(value);
    if (isObject(value) && isObject(expected)) {
      if (includesFields(value, expected)) return null;
      const found = Object.entries(value).filter(([key]) => Object.hasOwn(expected, key));
      return `result_contains: does not hold\n${toDiff(expected, Object.fromEntries(found))}`;
    }
    if (typeof value === 'string' && typeof expected === 'string' && value.includes(expected)) return null;
    return isSame(expected, value) ? null : `result_contains: does not hold\n${toDiff(expected, value)}`;
  };
}

/** No item of a list may have these fields, whatever the case of letters. A dotted path leads into nested ones. */
function containsNone(fields: readonly string[]): Check {
  return (value) => {
    if (!isList(value) && !isObject(value)) {
      return `result_not_contains: the result has no fields\n+ ${toShort(value)}`;
    }
    const found = fields.filter((field) => hasField(value, field.toLowerCase()));
    return found.length === 0 ? null : `result_not_contains: the result has ${found.join(', ')}`;
  };
}

function hasField(value: JsonValue, path: string): boolean {
  if (isList(value)) return value.some((item) => hasField(item, path));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, inner]) => {
    const name = key.toLowerCase();
    return name === path || (path.startsWith(`${name}.`) && hasField(inner, path.slice(name.length + 1)));
  });
}

function containsItems(name: string, expected: readonly JsonValue[]): Check {
  return (value) => {
    if (!isList(value)) return `${name}: the result is not a list\n+ ${toShort(value)}`;
    const missing = expected.filter((item) => !value.some((found) => matches(found, item)));
    if (missing.length === 0) return null;
    const lines = missing.map((item) => `- ${toShort(item)}`);
    const shown = value.slice(0, 3).map((item) => `+ ${toShort(item)}`);
    const more = value.length > 3 ? [`  and ${value.length - 3} more`] : [];
    const found = value.length === 0 ? ['  the list is empty'] : [...shown, ...more];
    return [`${name}: no item of the list is or has`, ...lines, ...found].join('\n');
  };
}

function matches(found: JsonValue, expected: JsonValue): boolean {
  if (isObject(found) && isObject(expected)) return includesFields(found, expected);
  return isSame(found, expected);
}

function includesFields(value: JsonObject, expected: JsonObject): boolean {
  return Object.entries(expected).every(([key, field]) => {
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    return found !== undefined && isSame(found, field);
  });
}

function hasLength(expected: number): Check {
  return (value) => {
    if (!isList(value)) return `result_length: the result is not a list\n+ ${toShort(value)}`;
    return value.length === expected
      ? null
      : `result_length: differs from what was expected\n- ${expected}\n+ ${value.length}`;
  };
}

/** Searches the result as JSON, and every text in it. */
function containsText(expected: string): Check {
  return (value) => {
    const found = typeof value !== 'string' && JSON.stringify(value).includes(expected);
    if (found || textsOf(value).some((text) => text.includes(expected))) return null;
    return `result_contains_text: does not hold\n- ${toShort(expected)}\n+ ${toShort(value)}`;
  };
}

function textsOf(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (isList(value)) return value.flatMap(textsOf);
  return isObject(value) ? Object.values(value).flatMap(textsOf) : [];
}
