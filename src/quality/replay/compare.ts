import { isList, isObject, type JsonObject, type JsonValue, own } from '../../json.ts';
import { isSame } from '../../types/canonical.ts';
import { type Ended, isMarked } from './record.ts';

/** A difference between an answer and the recorded one. Plain JSON. */
export type ReplayDifference = {
  readonly what: 'endpoint' | 'decision' | 'status' | 'shape' | 'rows';
  /** The path in the result. */
  readonly path?: string;
  readonly old: JsonValue;
  readonly new: JsonValue;
};

/** The most differences of shape that are reported. */
const MOST = 5;

/** Compares an answer with the recorded one. Only fields that both have are compared. */
export function compareEnded(before: Ended, after: Ended): readonly ReplayDifference[] {
  const differences = [...compareDecision(before, after), ...compareStatus(before, after)];
  if (before.status === 'error' || after.status === 'error') return differences;
  const shape = compareShapes(before.value, after.value);
  return [...differences, ...shape, ...compareRows(before, after, shape.length > 0)];
}

function compareDecision(before: Ended, after: Ended): readonly ReplayDifference[] {
  if (before.decision === null || after.decision === null || before.decision === after.decision) return [];
  return [{ what: 'decision', old: before.decision, new: after.decision }];
}

function compareStatus(before: Ended, after: Ended): readonly ReplayDifference[] {
  const [old, now] = [wordOf(before), wordOf(after)];
  if (before.status !== after.status) return [{ what: 'status', old, new: now }];
  if (before.status === 'success') return [];
  const coded = before.errorCode !== null && after.errorCode !== null;
  const same = coded
    ? before.errorCode === after.errorCode
    : bare(before.errorText) === bare(after.errorText);
  return same ? [] : [{ what: 'status', old, new: now }];
}

function wordOf({ status, errorCode, errorText }: Ended): string {
  if (status === 'success') return status;
  return errorCode ?? (bare(errorText) || status);
}

/** Removes the error id, which differs for each failure. */
function bare(text: string | null): string {
  return (text ?? '').replace(/ \(error id [^)]*\)$/, '');
}

function compareRows(before: Ended, after: Ended, shaped: boolean): readonly ReplayDifference[] {
  if (before.rows !== null && after.rows !== null && before.rows !== after.rows) {
    return [{ what: 'rows', old: before.rows, new: after.rows }];
  }
  if (after.text !== undefined) return compareText(after.text);
  if (shaped || before.value === undefined || after.value === undefined) return [];
  const found = firstDifference(before.value, after.value, '');
  return found === null ? [] : [{ what: 'rows', ...found }];
}

/** The first line in which two texts differ. */
function compareText({ recorded, now }: NonNullable<Ended['text']>): readonly ReplayDifference[] {
  const [was, is] = [recorded.split('\n'), now.split('\n')];
  const at = Array.from({ length: Math.max(was.length, is.length) }).findIndex(
    (_, line) => was[line] !== is[line],
  );
  if (at === -1) return [];
  return [{ what: 'rows', path: `line ${at + 1}`, old: was[at] ?? null, new: is[at] ?? null }];
}

/** The first path at which two values differ, apart from redacted parts. */
function firstDifference(
  before: JsonValue,
  after: JsonValue,
  path: string,
): Omit<ReplayDifference, 'what'> | null {
  if (isMarked(before) && typeof before === 'string') return null;
  if (isList(before) && isList(after)) {
    const both = before.slice(0, after.length);
    const found = firstOf(both.map((old, at) => [`${path}[${at}]`, old, after[at] ?? null]));
    const whole = ![...before, ...after].some(isCut);
    if (found !== null || !whole || before.length === after.length) return found;
    return { path: join(path, 'length'), old: before.length, new: after.length };
  }
  if (isObject(before) && isObject(after)) {
    const names = Object.keys(before).some(isMarked) ? Object.keys(before) : keysOf(before, after);
    const known = names.filter((name) => !isMarked(name));
    return firstOf(
      known.map((name) => [join(path, name), own(before, name) ?? null, own(after, name) ?? null]),
    );
  }
  return isSame(before, after) ? null : { path, old: before, new: after };
}

function keysOf(before: JsonObject, after: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

function firstOf(pairs: readonly (readonly [string, JsonValue, JsonValue])[]) {
  for (const [path, before, after] of pairs) {
    const found = firstDifference(before, after, path);
    if (found !== null) return found;
  }
  return null;
}

/** Compares the names and types of results, regardless of the number of items. */
function compareShapes(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly ReplayDifference[] {
  if (before === undefined || after === undefined) return [];
  const [was, is] = [shapeOf(before), shapeOf(after)];
  const paths = [...new Set([...was.keys(), ...is.keys()])];
  return paths
    .filter((path) => !isHidden(was, path) && !fits(was.get(path), is.get(path)))
    .filter((path) => !(isEmptied(was, path) || isEmptied(is, path)))
    .slice(0, MOST)
    .map((path) => ({
      what: 'shape',
      path,
      old: typesAt(was, path),
      new: typesAt(is, path),
    }));
}

type Shape = ReadonlyMap<string, ReadonlySet<string>>;

const HIDDEN = 'hidden';

function shapeOf(value: JsonValue): Shape {
  const shape = new Map<string, Set<string>>();
  const visit = (inside: JsonValue, path: string): void => {
    const types = shape.get(path) ?? new Set();
    shape.set(path, types.add(typeOf(inside)));
    if (isList(inside)) for (const item of inside) if (!isCut(item)) visit(item, `${path}[]`);
    if (isObject(inside)) for (const [name, field] of Object.entries(inside)) visit(field, join(path, name));
  };
  visit(value, '');
  return shape;
}

function isCut(item: JsonValue): boolean {
  return typeof item === 'string' && item.startsWith('[CUT:');
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  if (typeof value === 'string' && isMarked(value)) return HIDDEN;
  return typeof value;
}

/** Whether the value at a path, or around it, was redacted. */
function isHidden(shape: Shape, path: string): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf('.'), at.lastIndexOf('['), 0))) {
    if (shape.get(at)?.has(HIDDEN)) return true;
    if (shape.has(join(at, '[CUT]'))) return true;
    if (at === '') return false;
  }
}

/** A list without items gives no information about its items. */
function isEmptied(shape: Shape, path: string): boolean {
  const list = path.lastIndexOf('[]');
  return list >= 0 && !shape.has(path.slice(0, list + 2));
}

/** Null is compatible with any type, because it depends on the rows. */
function fits(before: ReadonlySet<string> | undefined, after: ReadonlySet<string> | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const [was, is] = [before, after].map((types) => [...types].filter((type) => type !== 'null'));
  if (!was?.length || !is?.length) return true;
  return is.every((type) => was.includes(type));
}

function typesAt(shape: Shape, path: string): string {
  return [...(shape.get(path) ?? ['absent'])].toSorted().join(' or ');
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
