import type { Instance } from '../engine/instance.ts';

/** DuckDB's numbers of its types (`duckdb_type` of the C API). */
export const TYPE = {
  BOOLEAN: 1,
  TINYINT: 2,
  SMALLINT: 3,
  INTEGER: 4,
  BIGINT: 5,
  UTINYINT: 6,
  USMALLINT: 7,
  UINTEGER: 8,
  UBIGINT: 9,
  FLOAT: 10,
  DOUBLE: 11,
  TIMESTAMP: 12,
  DATE: 13,
  TIME: 14,
  INTERVAL: 15,
  HUGEINT: 16,
  VARCHAR: 17,
  BLOB: 18,
  DECIMAL: 19,
  TIMESTAMP_S: 20,
  TIMESTAMP_MS: 21,
  TIMESTAMP_NS: 22,
  ENUM: 23,
  LIST: 24,
  STRUCT: 25,
  MAP: 26,
  UUID: 27,
  UNION: 28,
  BIT: 29,
  TIME_TZ: 30,
  TIMESTAMP_TZ: 31,
  UHUGEINT: 32,
  ARRAY: 33,
  BIGNUM: 35,
  SQLNULL: 36,
  TIME_NS: 39,
  GEOMETRY: 40,
  VARIANT: 41,
} as const;

/** The types of whole numbers that JSON can hold. */
export const INTEGERS: ReadonlySet<number> = new Set([
  ...[TYPE.TINYINT, TYPE.SMALLINT, TYPE.INTEGER, TYPE.BIGINT, TYPE.HUGEINT],
  ...[TYPE.UTINYINT, TYPE.USMALLINT, TYPE.UINTEGER, TYPE.UBIGINT, TYPE.UHUGEINT],
]);

/** DuckDB's spelling of types, if it differs from the name above. */
const SPELLING: { readonly [id: number]: string } = {
  [TYPE.TIME_TZ]: 'TIME WITH TIME ZONE',
  [TYPE.TIMESTAMP_TZ]: 'TIMESTAMP WITH TIME ZONE',
  // A bare query leaves a column of NULLs without a type. In brackets, DuckDB gives it this one.
  [TYPE.SQLNULL]: 'INTEGER',
};

/** DuckDB's names of types without parts. */
const NAMES = new Map<number, string>(Object.entries(TYPE).map(([name, id]) => [id, SPELLING[id] ?? name]));

/** The type of a column or of a part of it. */
export interface ColumnType {
  readonly id: number;
  /** DuckDB's name of the type. */
  readonly name: string;
  /** The alias of the type, such as JSON. */
  readonly alias: string;
  /** The types of a list's items, of a map's key and value, or of the members of a struct or union. */
  readonly parts: readonly ColumnType[];
  /** The names of a struct's fields or a union's members; the words of an enum. */
  readonly labels: readonly string[];
  /** The digits after a decimal's point, or the items of an array. */
  readonly size: number;
  /** The type that a decimal or an enum is stored as. */
  readonly storage: number;
}

type Parts = Omit<ColumnType, 'id' | 'alias'>;

/** Reads a logical type and destroys it. */
export function takeType(instance: Instance, pointer: number): ColumnType {
  const { call, heap, scratch } = instance;
  try {
    return readType(instance, pointer);
  } finally {
    heap.setU32(scratch, pointer);
    call.duckdb_destroy_logical_type(scratch);
  }
}

/** Whether values of a type are or contain a VARIANT. */
export function hasVariant({ id, parts }: ColumnType): boolean {
  return id === TYPE.VARIANT || parts.some(hasVariant);
}

/** Reads a logical type. */
export function readType(instance: Instance, pointer: number): ColumnType {
  const id = instance.call.duckdb_get_type_id(pointer);
  const parts = readParts(instance, pointer, id);
  const alias = takeString(instance, instance.call.duckdb_logical_type_get_alias(pointer));
  return { id, alias, ...parts, name: alias || parts.name };
}

function readParts(instance: Instance, pointer: number, id: number): Parts {
  if (id === TYPE.DECIMAL) return readDecimal(instance, pointer);
  if (id === TYPE.ENUM) return readEnum(instance, pointer);
  if (id === TYPE.LIST || id === TYPE.ARRAY) return readList(instance, pointer, id);
  if (id === TYPE.MAP) return readMap(instance, pointer);
  if (id === TYPE.STRUCT || id === TYPE.UNION) return readMembers(instance, pointer, id);
  return plain(NAMES.get(id) ?? 'UNKNOWN');
}

function plain(name: string, parts: readonly ColumnType[] = []): Parts {
  return { name, parts, labels: [], size: 0, storage: 0 };
}

function readDecimal({ call }: Instance, pointer: number): Parts {
  const size = call.duckdb_decimal_scale(pointer);
  const name = `DECIMAL(${call.duckdb_decimal_width(pointer)},${size})`;
  return { ...plain(name), size, storage: call.duckdb_decimal_internal_type(pointer) };
}

function readEnum(instance: Instance, pointer: number): Parts {
  const { call } = instance;
  const labels = Array.from({ length: call.duckdb_enum_dictionary_size(pointer) }, (_, index) =>
    takeString(instance, call.duckdb_enum_dictionary_value(pointer, index, 0)),
  );
  const name = `ENUM(${labels.map((label) => `'${label.replaceAll("'", "''")}'`).join(', ')})`;
  return { ...plain(name), labels, storage: call.duckdb_enum_internal_type(pointer) };
}

function readList(instance: Instance, pointer: number, id: number): Parts {
  const { call } = instance;
  if (id === TYPE.LIST) {
    const items = takeType(instance, call.duckdb_list_type_child_type(pointer));
    return plain(`${items.name}[]`, [items]);
  }
  const items = takeType(instance, call.duckdb_array_type_child_type(pointer));
  const size = call.duckdb_array_type_array_size(pointer);
  return { ...plain(`${items.name}[${size}]`, [items]), size };
}

function readMap(instance: Instance, pointer: number): Parts {
  const key = takeType(instance, instance.call.duckdb_map_type_key_type(pointer));
  const value = takeType(instance, instance.call.duckdb_map_type_value_type(pointer));
  return plain(`MAP(${key.name}, ${value.name})`, [key, value]);
}

function readMembers(instance: Instance, pointer: number, id: number): Parts {
  const { call } = instance;
  const of =
    id === TYPE.STRUCT
      ? [
          call.duckdb_struct_type_child_count,
          call.duckdb_struct_type_child_name,
          call.duckdb_struct_type_child_type,
        ]
      : [
          call.duckdb_union_type_member_count,
          call.duckdb_union_type_member_name,
          call.duckdb_union_type_member_type,
        ];
  const [count, nameOf, typeOf] = of as [Call, Call, Call];
  const indexes = Array.from({ length: count(pointer) }, (_, index) => index);
  const labels = indexes.map((index) => takeString(instance, nameOf(pointer, index, 0)));
  const parts = indexes.map((index) => takeType(instance, typeOf(pointer, index, 0)));
  const members = parts.map(({ name }, index) => `${quoted(labels[index] ?? '')}${name}`);
  return { ...plain(`${id === TYPE.STRUCT ? 'STRUCT' : 'UNION'}(${members.join(', ')})`, parts), labels };
}

type Call = (...args: number[]) => number;

/** Writes a member's name before its type, quoted unless it is a plain word. */
function quoted(label: string): string {
  if (label === '') return '';
  return /^[a-z_][a-z0-9_]*$/.test(label) ? `${label} ` : `"${label.replaceAll('"', '""')}" `;
}

/** Reads text that the engine allocated for us, and frees it. */
export function takeString({ call, heap }: Instance, at: number): string {
  if (at === 0) return '';
  const text = heap.cString(at);
  call.duckdb_free(at);
  return text;
}
