import type { SqlFunction } from '../scalar-function.ts';
import { forRows } from '../vector.ts';
import { type Json, KIND } from './document.ts';
import type { JsonKit } from './to-json.ts';

const SOURCES = ['VARCHAR', 'JSON'] as const;

/** The functions of whole documents: json_valid, json_contains, json_pretty. */
export function wholeFunctions({ instance, json }: JsonKit): readonly SqlFunction[] {
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
  ];
}

/** Whether a document contains a value: equal, or with a part of its items and fields. */
function contains(json: Json, haystack: number, needle: number): boolean {
  if (isPart(json, haystack, needle)) return true;
  return childrenOf(json, haystack).some((child) => contains(json, child, needle));
}

function childrenOf(json: Json, value: number): readonly number[] {
  return [...json.items(value), ...json.values(value)];
}

function isPart(json: Json, whole: number, part: number): boolean {
  if (json.equals(whole, part)) return true;
  const kind = json.kind(part);
  if (kind !== json.kind(whole) || (kind !== KIND.array && kind !== KIND.object)) return false;
  if (kind === KIND.array) {
    const items = json.items(whole);
    return json.items(part).every((wanted) => items.some((item) => isPart(json, item, wanted)));
  }
  const values = json.values(part);
  return json.names(part).every((name, index) => {
    const found = json.named(whole, name);
    return found !== 0 && isPart(json, found, values[index] ?? 0);
  });
}
