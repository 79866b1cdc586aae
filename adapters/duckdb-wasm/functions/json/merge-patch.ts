import type { CppInstance } from '../cpp.ts';
import type { SqlFunction } from '../scalar-function.ts';
import { columnOf, inputOf, setNull, setText } from '../vector.ts';
import { type Json, KIND } from './document.ts';
import type { JsonKit } from './to-json.ts';

/** json_merge_patch: merges JSON from left to right (RFC 7396). */
export function mergeFunction({ instance, json }: JsonKit): SqlFunction {
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
  const kept = pairs(whole)
    .filter(([key]) => json.named(patch, key) === 0)
    .map(([key, value]) => `${json.text(key)}:${json.text(value)}`);
  const laid = pairs(patch)
    .filter(([, value]) => json.kind(value) !== KIND.null)
    .map(([key, value]) => `${json.text(key)}:${mergedValue(json, json.named(whole, key), value)}`);
  return `{${[...kept, ...laid].join()}}`;
}

function mergedValue(json: Json, whole: number, patch: number): string {
  if (json.kind(patch) !== KIND.object) return json.text(patch);
  return mergedFields(json, whole, patch);
}
