import { isList, isObject, type JsonValue } from '../../json.ts';
import { isSame } from '../../types/canonical.ts';

const MOST = 8;
const WIDEST = 160;

interface Difference {
  readonly path: string;
  /** Undefined if no value is expected. */
  readonly expected: JsonValue | undefined;
  /** Undefined if there is no value. */
  readonly actual: JsonValue | undefined;
}

/** Shows the difference of two values as lines: `-` expected, `+` actual. */
export function toDiff(expected: JsonValue, actual: JsonValue): string {
  const found = differencesOf({ path: '', expected, actual });
  const lines = found.slice(0, MOST).flatMap(toLines);
  const more = found.length - MOST;
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}

/** A value on one line, shortened if it is long. */
export function toShort(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text;
}

function differencesOf({ path, expected, actual }: Difference): readonly Difference[] {
  if (expected === undefined || actual === undefined) return [{ path, expected, actual }];
  if (isSame(expected, actual)) return [];
  if (isList(expected) && isList(actual)) {
    const size = Math.max(expected.length, actual.length);
    return Array.from({ length: size }, (_, index) =>
      differencesOf({ path: `${path}[${index}]`, expected: expected[index], actual: actual[index] }),
    ).flat();
  }
  if (isObject(expected) && isObject(actual)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return keys.flatMap((key) =>
      differencesOf({
        path: path === '' ? key : `${path}.${key}`,
        expected: Object.hasOwn(expected, key) ? expected[key] : undefined,
        actual: Object.hasOwn(actual, key) ? actual[key] : undefined,
      }),
    );
  }
  return [{ path, expected, actual }];
}

function toLines({ path, expected, actual }: Difference): readonly string[] {
  const at = path === '' ? '' : `${path}: `;
  return [
    ...(expected === undefined ? [] : [`- ${at}${toShort(expected)}`]),
    ...(actual === undefined ? [] : [`+ ${at}${toShort(actual)}`]),
  ];
}
