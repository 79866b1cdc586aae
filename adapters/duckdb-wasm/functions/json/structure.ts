import type { CppInstance } from '../cpp.ts';
import { withCppText } from '../extension-loader.ts';
import { LOGICAL_TYPE } from '../layout.ts';
import { rowError } from '../scalar-function.ts';
import { withOwnType } from '../vector.ts';
import { type Json, KIND } from './document.ts';

/** Runs with the type that a structure such as `{"a": "INTEGER", "b": ["VARCHAR"]}` describes. */
export function withStructure(
  { instance, json }: { readonly instance: CppInstance; readonly json: Json },
  structure: string,
  context: number,
  use: (type: number) => void,
): void {
  const { call, cpp, heap, withText } = instance;
  const name = withText(structure, (at, length) => json.read({ at, length }, (root) => nameOf(json, root)));
  // A type that owns nothing is overwritten by another.
  const type = call.duckdb_create_logical_type(0);
  heap.bytes.fill(0, type, type + LOGICAL_TYPE.bytes);
  withOwnType(instance, type, () => {
    try {
      withCppText(instance, name, (text) => cpp.typeOfText(type, text, context));
    } catch (thrown) {
      // The callee has destroyed its result before it threw, and a second time would free the same memory twice.
      heap.bytes.fill(0, type, type + LOGICAL_TYPE.bytes);
      throw thrown;
    }
    use(type);
  });
}

/** The type as SQL writes it. */
function nameOf(json: Json, value: number): string {
  if (json.isText(value)) return json.string(value);
  if (json.kind(value) === KIND.array) return listName(json, value);
  if (json.kind(value) === KIND.object) return structName(json, value);
  throw rowError('invalid JSON structure');
}

function listName(json: Json, value: number): string {
  const [item, ...more] = json.items(value);
  if (item === undefined || more.length > 0) throw rowError('Too many values in array of JSON structure');
  return `${nameOf(json, item)}[]`;
}

function structName(json: Json, value: number): string {
  const names = json.names(value).map((name) => `"${json.string(name).replaceAll('"', '""')}"`);
  if (names.length === 0) throw rowError('Empty object in JSON structure');
  if (new Set(names).size < names.length) throw rowError('Duplicate keys in object in JSON structure');
  const types = json.values(value).map((field) => nameOf(json, field));
  return `STRUCT(${names.map((name, index) => `${name} ${types[index]}`).join()})`;
}
