import type { Instance } from '../instance.ts';
import { LOGICAL_TYPE } from '../layout.ts';
import { withCppText } from '../loader.ts';
import { rowError } from '../scalar.ts';
import { withTexts, withWords } from '../values.ts';
import { type Json, KIND } from './document.ts';

/** Runs with the type that a structure such as `{"a": "INTEGER", "b": ["VARCHAR"]}` describes. */
export function withStructure<T>(
  { instance, json }: { readonly instance: Instance; readonly json: Json },
  structure: string,
  context: number,
  use: (type: number) => T,
): T {
  const { call, heap, scratch } = instance;
  const type = instance.withText(structure, (at, length) =>
    json.read({ at, length }, (root) => createType({ instance, json, context }, root)),
  );
  try {
    return use(type);
  } finally {
    heap.setU32(scratch, type);
    call.duckdb_destroy_logical_type(scratch);
  }
}

interface Kit {
  readonly instance: Instance;
  readonly json: Json;
  /** DuckDB's own context, which knows the types of the database. */
  readonly context: number;
}

function createType(kit: Kit, value: number): number {
  const { json } = kit;
  if (json.isText(value)) return typeNamed(kit, json.string(value));
  if (json.kind(value) === KIND.array) return listType(kit, value);
  if (json.kind(value) === KIND.object) return structType(kit, value);
  throw rowError('invalid JSON structure');
}

function typeNamed({ instance, context }: Kit, name: string): number {
  const { call, cpp } = instance;
  const type = call.duckdb_create_logical_type(0);
  // Both are DuckDB's own objects; the one that is overwritten owns nothing.
  instance.heap.bytes.fill(0, type, type + LOGICAL_TYPE.bytes);
  withCppText(instance, name, (text) => cpp.typeOfText(type, text, context));
  return type;
}

function listType(kit: Kit, value: number): number {
  const [item, ...more] = kit.json.items(value);
  if (item === undefined || more.length > 0) throw rowError('Too many values in array of JSON structure');
  return composed(kit.instance, [createType(kit, item)], (types) =>
    kit.instance.call.duckdb_create_list_type(kit.instance.heap.u32(types)),
  );
}

function structType(kit: Kit, value: number): number {
  const { instance, json } = kit;
  const fields = json.fields(value);
  const names = fields.filter((_, index) => index % 2 === 0).map((key) => json.string(key));
  if (names.length === 0) throw rowError('Empty object in JSON structure');
  if (new Set(names).size < names.length) throw rowError('Duplicate keys in object in JSON structure');
  const types = fields.filter((_, index) => index % 2 === 1).map((field) => createType(kit, field));
  return withTexts(instance, names, (namesAt) =>
    composed(instance, types, (typesAt) =>
      instance.call.duckdb_create_struct_type(typesAt, namesAt, types.length, 0),
    ),
  );
}

/** A type made of others, which it copies. */
function composed(instance: Instance, types: readonly number[], make: (types: number) => number): number {
  const { call, heap, scratch } = instance;
  try {
    return withWords(instance, types, make);
  } finally {
    for (const type of types) {
      heap.setU32(scratch, type);
      call.duckdb_destroy_logical_type(scratch);
    }
  }
}
