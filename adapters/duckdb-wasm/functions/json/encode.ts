import { cellReader } from '../../query/decode.ts';
import { type ColumnType, INTEGERS, TYPE, takeType } from '../../query/types.ts';
import type { CppInstance } from '../cpp.ts';
import type { SqlTypes } from '../sql-types.ts';
import { inputOf } from '../vector.ts';
import type { Workspace } from '../workspace.ts';
import type { Json } from './document.ts';

/** A value of a row as JSON text. */
export type Encode = (row: number) => string;

/** The parts of an encoder: `count` rows of vectors that live as long as the workspace. */
export interface EncodeKit {
  readonly instance: CppInstance;
  readonly json: Json;
  readonly types: SqlTypes;
  readonly workspace: Workspace;
}

/** Turns the values of a vector into JSON, as DuckDB's to_json does; null is `null`. */
export function encoderOf(kit: EncodeKit, vector: number, count: number): Encode {
  const type = takeType(kit.instance, kit.instance.call.duckdb_vector_get_column_type(vector));
  return encoder(kit, { vector, count, type });
}

interface Source {
  readonly vector: number;
  readonly count: number;
  readonly type: ColumnType;
}

function encoder(kit: EncodeKit, source: Source): Encode {
  const { vector, count, type } = source;
  kit.instance.cpp.flattenVector(vector, count, 0);
  const { isNull } = inputOf(kit.instance, vector);
  const encode =
    type.alias === 'JSON' ? jsonEncoder(kit, source) : (NESTED[type.id] ?? plainEncoder)(kit, source);
  return (row) => (isNull(row) ? 'null' : encode(row));
}

function jsonEncoder({ instance, json }: EncodeKit, { vector }: Source): Encode {
  const { bytes } = inputOf(instance, vector);
  return (row) => json.read(bytes(row), (root) => json.text(root));
}

/** Any escape, so that the backslash that another one escapes begins none. */
const ESCAPE = /\\(?:u00[01].|[\s\S])/g;

/** Quotes a text. DuckDB writes the digits of an escape in capitals, unlike JavaScript. */
function quote(text: string): string {
  return JSON.stringify(text).replace(ESCAPE, (found) =>
    found.length > 2 ? `\\u${found.slice(2).toUpperCase()}` : found,
  );
}

/** A number as DuckDB writes it, by which it can be told from an integer. */
function real(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value).replace('e+', 'e');
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const REALS: { readonly [id: number]: (view: DataView, at: number, row: number) => number } = {
  [TYPE.FLOAT]: (view, at, row) => view.getFloat32(at + row * 4, true),
  [TYPE.DOUBLE]: (view, at, row) => view.getFloat64(at + row * 8, true),
};

/** Decimals of more digits than a double keeps stay as they are. */
const DOUBLE_DIGITS = 15;

function plainEncoder(kit: EncodeKit, source: Source): Encode {
  const { instance, workspace } = kit;
  const { heap } = instance;
  const { id, name } = source.type;
  const { data } = inputOf(instance, source.vector);
  const number = REALS[id];
  if (number !== undefined) return (row) => real(number(heap.view, data, row));
  // What JSON has itself is written as a result has it.
  if (id === TYPE.BOOLEAN || INTEGERS.has(id)) {
    const read = cellReader(source.type);
    return (row) => String(read(heap, data, row));
  }
  if (id === TYPE.VARCHAR) return (row) => quote(heap.string(data, row));
  if (id === TYPE.DECIMAL && Number(/\d+/.exec(name)?.[0]) <= DOUBLE_DIGITS) {
    const doubles = workspace.cast(source.vector, 'DOUBLE', source.count);
    return plainEncoder(kit, { ...source, vector: doubles, type: { ...source.type, id: TYPE.DOUBLE } });
  }
  const texts = inputOf(instance, workspace.cast(source.vector, 'VARCHAR', source.count)).data;
  const isNumber = id === TYPE.DECIMAL || id === TYPE.BIGNUM;
  return (row) => (isNumber ? heap.string(texts, row) : quote(heap.string(texts, row)));
}

type Encoder = (kit: EncodeKit, source: Source) => Encode;

const NESTED: { readonly [id: number]: Encoder } = {
  [TYPE.LIST]: listEncoder,
  [TYPE.ARRAY]: arrayEncoder,
  [TYPE.STRUCT]: structEncoder,
  [TYPE.MAP]: mapEncoder,
  [TYPE.UNION]: unionEncoder,
};

const NO_TYPE: ColumnType = {
  id: TYPE.SQLNULL,
  name: '',
  alias: '',
  parts: [],
  labels: [],
  size: 0,
  storage: 0,
};

const partOf = ({ parts }: ColumnType, index: number): ColumnType => parts[index] ?? NO_TYPE;

const between = (start: number, length: number): readonly number[] =>
  Array.from({ length }, (_, index) => start + index);

function entriesOf(instance: CppInstance, vector: number): (row: number) => readonly number[] {
  const { range } = inputOf(instance, vector);
  return (row) => between(...range(row));
}

function listEncoder(kit: EncodeKit, { vector, type }: Source): Encode {
  const { call } = kit.instance;
  const items = call.duckdb_list_vector_get_child(vector);
  const count = call.duckdb_list_vector_get_size(vector);
  const encode = encoder(kit, { vector: items, count, type: partOf(type, 0) });
  const entries = entriesOf(kit.instance, vector);
  return (row) => `[${entries(row).map(encode).join()}]`;
}

function arrayEncoder(kit: EncodeKit, { vector, count, type }: Source): Encode {
  const items = kit.instance.call.duckdb_array_vector_get_child(vector);
  const encode = encoder(kit, { vector: items, count: count * type.size, type: partOf(type, 0) });
  return (row) =>
    `[${between(row * type.size, type.size)
      .map(encode)
      .join()}]`;
}

function childOf({ call }: CppInstance, vector: number, index: number): number {
  return call.duckdb_struct_vector_get_child(vector, index, 0);
}

function structEncoder(kit: EncodeKit, { vector, count, type }: Source): Encode {
  const fields = type.parts.map((part, index) => ({
    name: quote(type.labels[index] ?? ''),
    encode: encoder(kit, { vector: childOf(kit.instance, vector, index), count, type: part }),
  }));
  return (row) => `{${fields.map(({ name, encode }) => `${name}:${encode(row)}`).join()}}`;
}

function mapEncoder(kit: EncodeKit, { vector, type }: Source): Encode {
  const { instance, workspace } = kit;
  const pairs = instance.call.duckdb_list_vector_get_child(vector);
  const count = instance.call.duckdb_list_vector_get_size(vector);
  const keys = inputOf(instance, workspace.cast(childOf(instance, pairs, 0), 'VARCHAR', count));
  const encode = encoder(kit, { vector: childOf(instance, pairs, 1), count, type: partOf(type, 1) });
  const entries = entriesOf(instance, vector);
  const pair: Encode = (at) => `${quote(instance.heap.string(keys.data, at))}:${encode(at)}`;
  // A key that from_json could not convert is NULL. DuckDB leaves its entry out.
  const isNamed = (at: number): boolean => !keys.isNull(at);
  return (row) => `{${entries(row).filter(isNamed).map(pair).join()}}`;
}

function unionEncoder(kit: EncodeKit, { vector, count, type }: Source): Encode {
  const { call, heap } = kit.instance;
  const tags = call.duckdb_vector_get_data(childOf(kit.instance, vector, 0));
  const members = type.parts.map((part, index) => ({
    name: quote(type.labels[index] ?? ''),
    encode: encoder(kit, { vector: childOf(kit.instance, vector, index + 1), count, type: part }),
  }));
  return (row) => {
    const member = members[heap.bytes[tags + row] ?? 0];
    return member ? `{${member.name}:${member.encode(row)}}` : 'null';
  };
}
