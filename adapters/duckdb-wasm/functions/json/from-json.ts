import { hasVariant, readType } from '../../query/types.ts';
import type { CppInstance } from '../cpp.ts';
import { withCppText } from '../extension-loader.ts';
import { LOGICAL_TYPE } from '../layout.ts';
import { type Binding, rowError, type SqlFunction } from '../scalar-function.ts';
import { columnOf, inputOf, withOwnType } from '../vector.ts';
import { withWorkspace } from '../workspace.ts';
import { type Json, KIND } from './document.ts';
import type { JsonKit } from './to-json.ts';
import { transform } from './transform.ts';
import type { Strictness } from './transform-target.ts';

/** The functions that convert JSON to typed values by a constant structure. */
export function fromFunctions(kit: JsonKit): readonly SqlFunction[] {
  const named = (name: string, strict: boolean): SqlFunction => ({
    name,
    overloads: (['VARCHAR', 'JSON'] as const).map((source) => ({
      takes: [source, 'VARCHAR'],
      returns: 'ANY',
      bind: (binding) => bindStructure(kit, binding),
      run(chunk, output) {
        const count = kit.instance.call.duckdb_data_chunk_get_size(chunk);
        const strictness = { strict, unknownNames: false };
        const problem = fromVector(kit, columnOf(kit.instance, chunk, 0), output, { count, strictness });
        if (problem !== null) throw rowError(problem);
      },
    })),
  });
  return [
    named('from_json', false),
    named('json_transform', false),
    named('from_json_strict', true),
    named('json_transform_strict', true),
  ];
}

function bindStructure(kit: JsonKit, binding: Binding): void {
  const structure = binding.constant(1);
  if (structure === undefined) throw rowError('JSON structure must be a constant!');
  if (structure === null) binding.returns('SQLNULL');
  else withStructure(kit, structure, binding.context, (type) => binding.returns(type));
}

/** Converts the JSON in a vector to the type of another; with `strict` returns the first problem, else null. */
export function fromVector(
  { instance, json, types }: JsonKit,
  source: number,
  target: number,
  { count, strictness }: { readonly count: number; readonly strictness: Strictness },
): string | null {
  const input = inputOf(instance, source);
  const texts = Array.from({ length: count }, (_, row) => (input.isNull(row) ? null : input.bytes(row)));
  return withWorkspace(instance, types, (workspace) =>
    json.readAll(texts, (values) => {
      const kit = { instance, json, types, workspace, ...strictness, problem: null as string | null };
      transform(kit, values, target);
      return kit.problem;
    }),
  );
}

/** Runs with the type that a structure such as `{"a": "INTEGER", "b": ["VARCHAR"]}` describes. */
function withStructure(
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
    // A value of this type may show parts of the memory, and DuckDB's own from_json makes none either.
    if (hasVariant(readType(instance, type))) throw rowError('Cannot read a value of type VARIANT from JSON');
    use(type);
  });
}

/** The type as SQL writes it. */
function nameOf(json: Json, value: number): string {
  if (json.isText(value)) return quotedNull(json.string(value));
  if (json.kind(value) === KIND.array) return listName(json, value);
  if (json.kind(value) === KIND.object) return structName(json, value);
  throw rowError('invalid JSON structure');
}

/** In SQL, the type "NULL" has quotes: without them, it is the value. */
function quotedNull(name: string): string {
  return /^null$/i.test(name) ? '"NULL"' : name;
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
