import type { CppInstance } from '../cpp.ts';
import type { SqlFunction } from '../scalar-function.ts';
import { columnOf, forRows, inputOf, setNull, setText } from '../vector.ts';
import { type Json, KIND } from './document.ts';
import type { JsonKit } from './to-json.ts';

const SOURCES = ['VARCHAR', 'JSON'] as const;

/** The functions of whole documents: json_valid, json_contains, json_pretty, json_merge_patch. */
export function wholeFunctions(kit: JsonKit): readonly SqlFunction[] {
  const { instance, json } = kit;
  const putBoolean = (output: number, row: number, value: boolean): void => {
    instance.heap.bytes[instance.call.duckdb_vector_get_data(output) + row] = value ? 1 : 0;
  };
  const runValid = (chunk: number, output: number): void =>
    forRows(instance, chunk, output, (row, texts) => {
      if (texts) putBoolean(output, row, json.problem(texts.bytes(row)) === null);
    });
  const runContains = (chunk: number, output: number): void =>
    forRows(instance, chunk, output, (row, haystacks, needles) => {
      const texts = [needles, haystacks].map((input) => input?.bytes(row) ?? null);
      const found = json.readAll(texts, ([needle = 0, haystack = 0]) => contains(json, haystack, needle));
      putBoolean(output, row, found);
    });
  const runPretty = (chunk: number, output: number): void =>
    forRows(instance, chunk, output, (row, texts) => {
      if (texts) json.read(texts.bytes(row), (root) => json.put(root, output, row, 'pretty'));
    });
  return [
    {
      name: 'json_valid',
      overloads: SOURCES.map((source) => ({ takes: [source], returns: 'BOOLEAN', run: runValid })),
    },
    {
      name: 'json_contains',
      overloads: SOURCES.flatMap((left) =>
        SOURCES.map((right) => ({ takes: [left, right], returns: 'BOOLEAN' as const, run: runContains })),
      ),
    },
    { name: 'json_pretty', overloads: [{ takes: ['JSON'], returns: 'VARCHAR', run: runPretty }] },
    mergeFunction(kit),
  ];
}

/** Whether a document contains a value: equal, or with a part of its items and fields. */
function contains(json: Json, haystack: number, needle: number): boolean {
  const values = [haystack];
  // A loop takes documents of any depth.
  for (const value of values) {
    if (isPart(json, value, needle)) return true;
    for (const item of json.items(value)) values.push(item);
    for (const field of json.values(value)) values.push(field);
  }
  return false;
}

function isPart(json: Json, whole: number, part: number): boolean {
  if (json.equals(whole, part)) return true;
  const kind = json.kind(part);
  if (kind !== json.kind(whole) || (kind !== KIND.array && kind !== KIND.object)) return false;
  if (kind === KIND.array) {
    const items = json.items(whole);
    return json.items(part).every((wanted) => items.some((item) => isPart(json, item, wanted)));
  }
  const find = json.finder(whole, json.length(part));
  const values = json.values(part);
  return json.names(part).every((name, index) => {
    const found = find(name);
    return found !== 0 && isPart(json, found, values[index] ?? 0);
  });
}

/** json_merge_patch: merges JSON from left to right (RFC 7396). */
function mergeFunction({ instance, json }: JsonKit): SqlFunction {
  return {
    name: 'json_merge_patch',
    overloads: [
      {
        takes: ['JSON', 'JSON'],
        rest: 'JSON',
        returns: 'JSON',
        seesNulls: true,
        run: (chunk, output) => mergeRows(instance, json, chunk, output),
      },
    ],
  };
}

function mergeRows(instance: CppInstance, json: Json, chunk: number, output: number): void {
  const { call, withText } = instance;
  const inputs = Array.from({ length: call.duckdb_data_chunk_get_column_count(chunk) }, (_, index) =>
    inputOf(instance, columnOf(instance, chunk, index)),
  );
  const merge = (whole: string, patch: number): string =>
    withText(whole, (at, length) => json.read({ at, length }, (root) => merged(json, root, patch)));
  for (let row = 0; row < call.duckdb_data_chunk_get_size(chunk); row += 1) {
    let whole: string | null = null;
    for (const input of inputs) {
      const before: string | null = whole;
      // NULL discards the result so far.
      if (input.isNull(row)) whole = null;
      else {
        whole = json.read(input.bytes(row), (patch) =>
          before === null ? json.text(patch) : merge(before, patch),
        );
      }
    }
    if (whole === null) setNull(instance, output, row);
    else setText(instance, output, row, whole);
  }
}

function merged(json: Json, whole: number, patch: number): string {
  const areObjects = json.kind(whole) === KIND.object && json.kind(patch) === KIND.object;
  return areObjects ? mergedFields(json, whole, patch) : json.text(patch);
}

/** Keeps the fields that the patch does not name, then adds the patch's fields; null removes a field. */
function mergedFields(json: Json, whole: number, patch: number): string {
  const pairs = (object: number): readonly (readonly [number, number])[] => {
    const values = json.values(object);
    return json.names(object).map((name, index) => [name, values[index] ?? 0]);
  };
  const findInWhole = json.finder(whole, json.length(patch));
  const findInPatch = json.finder(patch, json.length(whole));
  const kept = pairs(whole)
    .filter(([key]) => findInPatch(key) === 0)
    .map(([key, value]) => `${json.text(key)}:${json.text(value)}`);
  const laid = pairs(patch)
    .filter(([, value]) => json.kind(value) !== KIND.null)
    .map(([key, value]) => `${json.text(key)}:${mergedValue(json, findInWhole(key), value)}`);
  return `{${[...kept, ...laid].join()}}`;
}

function mergedValue(json: Json, whole: number, patch: number): string {
  if (json.kind(patch) !== KIND.object) return json.text(patch);
  return mergedFields(json, whole, patch);
}
