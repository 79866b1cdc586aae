import type { SqlFunction } from '../scalar.ts';
import { columnOf, inputOf, setBytes, setNull } from '../vector.ts';
import type { JsonKit } from './create.ts';
import { bytesAt, type Json, KIND } from './document.ts';

const SOURCES = ['VARCHAR', 'JSON'] as const;

/** The functions that look at whole documents: whether text is one, whether one is in another, one spread over lines. */
export function wholeFunctions({ instance, json }: JsonKit): readonly SqlFunction[] {
  const { call, heap } = instance;
  const eachRow = (chunk: number, output: number, columns: number, use: (row: number) => void): void => {
    const inputs = Array.from({ length: columns }, (_, index) =>
      inputOf(instance, columnOf(instance, chunk, index)),
    );
    for (let row = 0; row < call.duckdb_data_chunk_get_size(chunk); row += 1) {
      if (inputs.some(({ isNull }) => isNull(row))) setNull(instance, output, row);
      else use(row);
    }
  };
  const textOf = (chunk: number, column: number, row: number) =>
    bytesAt(instance, inputOf(instance, columnOf(instance, chunk, column)).entry(row));
  const putBoolean = (output: number, row: number, value: boolean): void => {
    heap.bytes[call.duckdb_vector_get_data(output) + row] = value ? 1 : 0;
  };
  const runValid = (chunk: number, output: number): void =>
    eachRow(chunk, output, 1, (row) => putBoolean(output, row, json.isValid(textOf(chunk, 0, row))));
  const runContains = (chunk: number, output: number): void =>
    eachRow(chunk, output, 2, (row) => {
      const found = json.read(textOf(chunk, 1, row), (needle) =>
        json.read(textOf(chunk, 0, row), (haystack) => contains(json, haystack, needle)),
      );
      putBoolean(output, row, found);
    });
  const runPretty = (chunk: number, output: number): void =>
    eachRow(chunk, output, 1, (row) =>
      json.read(textOf(chunk, 0, row), (root) =>
        json.write(root, (text) => setBytes(instance, output, row, text), 'pretty'),
      ),
    );
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

/** Whether a value is in another: as it is, or with some of its items and fields. */
function contains(json: Json, haystack: number, needle: number): boolean {
  if (isPart(json, haystack, needle)) return true;
  return childrenOf(json, haystack).some((child) => contains(json, child, needle));
}

function childrenOf(json: Json, value: number): readonly number[] {
  return [...json.items(value), ...json.fields(value).filter((_, index) => index % 2 === 1)];
}

function isPart(json: Json, whole: number, part: number): boolean {
  if (json.equals(whole, part)) return true;
  const kind = json.kind(part);
  if (kind !== json.kind(whole)) return false;
  if (kind === KIND.array) {
    const items = json.items(whole);
    return json.items(part).every((wanted) => items.some((item) => isPart(json, item, wanted)));
  }
  return kind === KIND.object && hasFields(json, whole, json.fields(part));
}

function hasFields(json: Json, whole: number, wanted: readonly number[]): boolean {
  return wanted.every((key, index) => {
    if (index % 2 === 1) return true;
    const found = json.named(whole, key);
    return found !== 0 && isPart(json, found, wanted[index + 1] ?? 0);
  });
}
