import { INTEGERS, takeType } from '../../query/types.ts';
import type { CppInstance } from '../cpp.ts';
import { type Binding, type Overload, rowError, type SqlFunction } from '../scalar-function.ts';
import type { SqlTypeName } from '../sql-types.ts';
import { columnOf, forRows, inputOf, type Put, putList, setBytes, setNull, setText } from '../vector.ts';
import { type Json, KIND, kindName } from './document.ts';
import { find, type JsonPath, parsePath } from './path.ts';

/** A function's result for a value in a document. */
interface Reading {
  readonly returns: SqlTypeName;
  /** Writes the result; the value is 0 if the path leads nowhere. */
  readonly put: Put<number>;
  /** Whether it is called for missing values too; otherwise the result is NULL. */
  readonly tellsMissing?: boolean;
  /** Whether it can be called without a path, for the whole document. */
  readonly whole?: boolean;
  /** Whether the path may be an index. */
  readonly indexed?: boolean;
}

/** The functions that read values in JSON by a path. */
export function readFunctions({ instance, json }: Kit): readonly SqlFunction[] {
  const { call, heap } = instance;
  const putJson: Put<number> = (value, vector, row) => json.put(value, vector, row);
  const putText: Put<number> = (value, vector, row) => {
    if (json.kind(value) === KIND.null) setNull(instance, vector, row);
    else if (json.isText(value)) setBytes(instance, vector, row, json.bytes(value));
    else putJson(value, vector, row);
  };
  const putScalar: Put<number> = (value, vector, row) => {
    const kind = json.kind(value);
    if (kind === KIND.null || kind === KIND.array || kind === KIND.object) setNull(instance, vector, row);
    else putJson(value, vector, row);
  };
  const putLength: Put<number> = (value, vector, row) => {
    const length = json.kind(value) === KIND.array ? json.length(value) : 0;
    heap.words(call.duckdb_vector_get_data(vector) + row * 8, [length, 0]);
  };
  const putExists: Put<number> = (value, vector, row) => {
    heap.bytes[call.duckdb_vector_get_data(vector) + row] = value === 0 ? 0 : 1;
  };
  const putKind: Put<number> = (value, vector, row) =>
    setText(instance, vector, row, kindName(json.kind(value)));
  const putKey: Put<number> = (key, vector, row) => setBytes(instance, vector, row, json.bytes(key));
  const putKeys = putList(instance, putKey);
  const extract: Reading = { returns: 'JSON', put: putJson, indexed: true };
  const extractText: Reading = { returns: 'VARCHAR', put: putText, indexed: true };
  const keys: Reading = {
    returns: 'VARCHAR[]',
    put: (value, vector, row) => putKeys(json.names(value), vector, row),
    whole: true,
  };
  const readings: { readonly [name: string]: Reading } = {
    json_extract: extract,
    json_extract_path: extract,
    json_extract_string: extractText,
    json_extract_path_text: extractText,
    '->>': extractText,
    json_value: { returns: 'VARCHAR', put: putScalar, indexed: true },
    json_array_length: { returns: 'UBIGINT', put: putLength, whole: true },
    json_exists: { returns: 'BOOLEAN', put: putExists, tellsMissing: true },
    json_keys: keys,
    json_type: { returns: 'VARCHAR', put: putKind, whole: true },
  };
  return Object.entries(readings).map(([name, reading]) => ({
    name,
    overloads: (['VARCHAR', 'JSON'] as const).flatMap((source) =>
      overloadsOf({ instance, json }, reading, source),
    ),
  }));
}

interface Kit {
  readonly instance: CppInstance;
  readonly json: Json;
}

function overloadsOf(kit: Kit, reading: Reading, source: 'VARCHAR' | 'JSON'): readonly Overload[] {
  const { returns, whole = false, indexed = false } = reading;
  const runPath: Overload['run'] = (chunk, output) => runWithPath(kit, reading, chunk, output);
  const paths = indexed ? (['BIGINT', 'VARCHAR'] as const) : (['VARCHAR'] as const);
  return [
    ...(whole
      ? [
          {
            takes: [source],
            returns,
            run: (chunk: number, output: number) =>
              forDocuments(kit, chunk, output, (root, row) => reading.put(root, output, row)),
          },
        ]
      : []),
    ...paths.map((path) => ({
      takes: [source, path],
      returns,
      bind: (binding: Binding) => bindPath(binding, returns),
      run: runPath,
    })),
    {
      takes: [source, 'VARCHAR[]'],
      returns: `${returns}[]` as SqlTypeName,
      bind: bindPaths,
      run: (chunk, output) => runWithPaths(kit, reading, chunk, output),
    },
  ];
}

/** DuckDB's type of an integer literal before its type is decided. */
const NUMBER_LITERAL = 38;

/** A constant path is checked before anything runs, and one with wildcards makes the answer a list. */
function bindPath(binding: Binding, returns: SqlTypeName): void {
  const type = binding.typeOf(1);
  const isIndex = INTEGERS.has(type) || type === NUMBER_LITERAL;
  binding.take(1, isIndex ? 'BIGINT' : 'VARCHAR');
  const text = binding.constant(1);
  if (typeof text === 'string' && parsePath(text, isIndex).many)
    binding.returns(`${returns}[]` as SqlTypeName);
}

/** Checks a constant list of paths. A list with a parameter is checked when it runs. */
function bindPaths(binding: Binding): void {
  for (const text of binding.constants(1) ?? []) toSinglePath(text);
}

function toSinglePath(text: string | null): JsonPath {
  if (text === null) throw rowError('JSON path cannot be NULL');
  const path = parsePath(text);
  if (path.many) throw rowError('Cannot have wildcards in JSON path when supplying multiple paths');
  return path;
}

function runWithPath(kit: Kit, reading: Reading, chunk: number, output: number): void {
  const { instance, json } = kit;
  const pathOf = pathReader(instance, columnOf(instance, chunk, 1));
  const isList = typeNameOf(instance, output) !== reading.returns;
  const putOne = orNull(instance, reading);
  const putAll = putList(instance, reading.put);
  forDocuments(kit, chunk, output, (root, row) => {
    const path = pathOf(row);
    if (isList) return putAll(find(json, root, path), output, row);
    if (path.many) {
      throw rowError('JSON path cannot contain wildcards if the path is not a constant parameter');
    }
    return putOne(find(json, root, path)[0] ?? 0, output, row);
  });
}

function runWithPaths(kit: Kit, reading: Reading, chunk: number, output: number): void {
  const { instance, json } = kit;
  const lists = columnOf(instance, chunk, 1);
  const { range } = inputOf(instance, lists);
  const { isNull, data } = inputOf(instance, instance.call.duckdb_list_vector_get_child(lists));
  const put = putList(instance, orNull(instance, reading));
  const pathOf = remembered(toSinglePath);
  forDocuments(kit, chunk, output, (root, row) => {
    const [start, length] = range(row);
    const values = Array.from({ length }, (_, index) => {
      const text = isNull(start + index) ? null : instance.heap.string(data, start + index);
      return find(json, root, pathOf(text))[0] ?? 0;
    });
    put(values, output, row);
  });
}

function orNull(instance: CppInstance, { put, tellsMissing = false }: Reading): Put<number> {
  if (tellsMissing) return put;
  return (value, vector, row) => (value === 0 ? setNull(instance, vector, row) : put(value, vector, row));
}

function forDocuments(
  { instance, json }: Kit,
  chunk: number,
  output: number,
  use: (root: number, row: number) => void,
): void {
  forRows(instance, chunk, output, (row, documents) => {
    if (documents) json.read(documents.bytes(row), (root) => use(root, row));
  });
}

/** The path of each row. */
function pathReader(instance: CppInstance, column: number): (row: number) => JsonPath {
  const { heap } = instance;
  const { data } = inputOf(instance, column);
  const isIndex = typeNameOf(instance, column) === 'BIGINT';
  const parsed = remembered((text: string) => parsePath(text, isIndex));
  return (row) =>
    parsed(isIndex ? String(heap.view.getBigInt64(data + row * 8, true)) : heap.string(data, row));
}

/** Parses each path once, because many rows have the same. */
function remembered<K>(parse: (text: K) => JsonPath): (text: K) => JsonPath {
  const known = new Map<K, JsonPath>();
  return (text) => {
    const path = known.get(text) ?? parse(text);
    known.set(text, path);
    return path;
  };
}

function typeNameOf(instance: CppInstance, vector: number): string {
  return takeType(instance, instance.call.duckdb_vector_get_column_type(vector)).name;
}
