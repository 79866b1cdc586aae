import { TYPE } from '../../query/types.ts';
import type { CppInstance } from '../cpp.ts';
import { type Binding, type Overload, rowError, type SqlFunction } from '../scalar-function.ts';
import type { SqlTypes } from '../sql-types.ts';
import { columnOf, inputOf, setNull, setText } from '../vector.ts';
import { withWorkspace } from '../workspace.ts';
import type { Json } from './document.ts';
import { type Encode, encoderOf } from './encode.ts';

/** The parts that functions of JSON need. */
export interface JsonKit {
  readonly instance: CppInstance;
  readonly json: Json;
  readonly types: SqlTypes;
}

/** DuckDB's type of a text literal before its type is decided. */
const TEXT_LITERAL = 37;

/** The functions that make JSON from other values. */
export function createFunctions(kit: JsonKit): readonly SqlFunction[] {
  const one = (name: string, wanted?: 'LIST' | 'STRUCT'): SqlFunction => ({
    name,
    overloads: [
      {
        takes: [],
        rest: 'ANY',
        returns: 'JSON',
        bind: (binding) => checkOne(name, binding, wanted),
        run: (chunk, output) => encodeRows(kit, chunk, output),
      },
    ],
  });
  const many = (name: string, write: Write, bind?: Overload['bind']): SqlFunction => ({
    name,
    overloads: [
      {
        takes: [],
        rest: 'ANY',
        returns: 'JSON',
        seesNulls: true,
        ...(bind ? { bind } : {}),
        run: (chunk, output) => writeRows(kit, chunk, output, write),
      },
    ],
  });
  return [
    one('to_json'),
    one('json_quote'),
    one('array_to_json', 'LIST'),
    one('row_to_json', 'STRUCT'),
    many('json_array', writeArray),
    many('json_object', writeObject, checkObject),
  ];
}

function checkOne(name: string, binding: Binding, wanted: 'LIST' | 'STRUCT' | undefined): void {
  if (binding.count !== 1) throw rowError(`${name}() takes exactly one argument`);
  const type = binding.typeOf(0);
  if (wanted && type !== TYPE[wanted] && type !== TYPE.SQLNULL) {
    throw rowError(`${name}() argument type must be ${wanted}`);
  }
}

function checkObject(binding: Binding): void {
  if (binding.count % 2 !== 0) throw rowError('json_object() requires an even number of arguments');
  for (let index = 0; index < binding.count; index += 2) {
    const type = binding.typeOf(index);
    if ((type !== TYPE.VARCHAR && type !== TEXT_LITERAL) || binding.isJson(index)) {
      throw rowError(`json_object() keys must be VARCHAR, add an explicit cast to argument ${index + 1}`);
    }
  }
}

/** Writes the JSON of each row of a vector into another; null stays null. */
export function encodeVector(kit: JsonKit, source: number, target: number, count: number): void {
  const { instance, types } = kit;
  withWorkspace(instance, types, (workspace) => {
    const encode = encoderOf({ ...kit, workspace }, source, count);
    const { isNull } = inputOf(instance, source);
    for (let row = 0; row < count; row += 1) {
      if (isNull(row)) setNull(instance, target, row);
      else setText(instance, target, row, encode(row));
    }
  });
}

function encodeRows(kit: JsonKit, chunk: number, output: number): void {
  const { instance } = kit;
  encodeVector(kit, columnOf(instance, chunk, 0), output, instance.call.duckdb_data_chunk_get_size(chunk));
}

interface Argument {
  readonly encode: Encode;
  readonly isNull: (row: number) => boolean;
}

/** The JSON of a row's arguments. */
type Write = (args: readonly Argument[], row: number) => string;

const writeArray: Write = (args, row) => `[${args.map(({ encode }) => encode(row)).join()}]`;

/** Leaves out fields whose name is null. */
const writeObject: Write = (args, row) => {
  const pairs = args.flatMap((name, index) => {
    const value = args[index + 1];
    return index % 2 === 0 && value && !name.isNull(row) ? [`${name.encode(row)}:${value.encode(row)}`] : [];
  });
  return `{${pairs.join()}}`;
};

function writeRows(kit: JsonKit, chunk: number, output: number, write: Write): void {
  const { instance, types } = kit;
  const { call } = instance;
  const count = call.duckdb_data_chunk_get_size(chunk);
  withWorkspace(instance, types, (workspace) => {
    const args = Array.from({ length: call.duckdb_data_chunk_get_column_count(chunk) }, (_, index) => {
      const column = columnOf(instance, chunk, index);
      const encode = encoderOf({ ...kit, workspace }, column, count);
      return { encode, isNull: inputOf(instance, column).isNull };
    });
    for (let row = 0; row < count; row += 1) setText(instance, output, row, write(args, row));
  });
}
