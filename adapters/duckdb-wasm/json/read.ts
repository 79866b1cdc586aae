import type { Binding } from '../binding.ts';
import type { Instance } from '../instance.ts';
import { type Overload, rowError, type SqlFunction } from '../scalar.ts';
import type { TypeName } from '../sql-types.ts';
import { TYPE } from '../type-ids.ts';
import { columnOf, inputOf, setBytes, setNull, setText } from '../vector.ts';
import { bytesAt, type Json, KIND, kindName } from './document.ts';
import { listOf, type Put } from './list.ts';
import { find, type Path, parsePath } from './path.ts';

/** What a function tells of a value in a document. */
interface Reading {
  readonly returns: TypeName;
  /** Puts what it tells; the value is 0 where the path leads nowhere. */
  readonly put: Put<number>;
  /** Whether it is asked about values that are not there; otherwise those are null. */
  readonly tellsMissing?: boolean;
  /** It can be asked of the whole document, without a path. */
  readonly whole?: boolean;
  /** Its path may be an index. */
  readonly indexed?: boolean;
}

/** The functions that tell something of values in JSON, found by a path. */
export function readFunctions({ instance, json }: Kit): readonly SqlFunction[] {
  const { call, heap } = instance;
  const putJson: Put<number> = (value, vector, row) =>
    json.write(value, (text) => setBytes(instance, vector, row, text));
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
  const putKeys = listOf(instance, putKey);
  const extract: Reading = { returns: 'JSON', put: putJson, indexed: true };
  const extractText: Reading = { returns: 'VARCHAR', put: putText, indexed: true };
  const keys: Reading = {
    returns: 'VARCHAR[]',
    put: (value, vector, row) =>
      putKeys(
        json.fields(value).filter((_, index) => index % 2 === 0),
        vector,
        row,
      ),
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
  readonly instance: Instance;
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
            run: (chunk: number, output: number) => runWhole(kit, reading, chunk, output),
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
      returns: `${returns}[]` as TypeName,
      bind: bindPaths,
      run: (chunk, output) => runWithPaths(kit, reading, chunk, output),
    },
  ];
}

/** A number that is written in a statement has a type of its own until it is known what it is for. */
const NUMBER_LITERAL = 38;
const INTEGERS: ReadonlySet<number> = new Set([
  ...[TYPE.TINYINT, TYPE.SMALLINT, TYPE.INTEGER, TYPE.BIGINT, TYPE.HUGEINT, NUMBER_LITERAL],
  ...[TYPE.UTINYINT, TYPE.USMALLINT, TYPE.UINTEGER, TYPE.UBIGINT, TYPE.UHUGEINT],
]);

/** A constant path is checked before anything runs, and one with wildcards makes the answer a list. */
function bindPath(binding: Binding, returns: TypeName): void {
  const isIndex = INTEGERS.has(binding.typeOf(1));
  binding.take(1, isIndex ? 'BIGINT' : 'VARCHAR');
  const text = binding.constant(1);
  if (typeof text === 'string' && parsePath(text, isIndex).many) binding.returns(`${returns}[]` as TypeName);
}

/** What is known of a list of paths before anything runs; a parameter in it is not known yet. */
function bindPaths(binding: Binding): void {
  for (const text of binding.constants(1) ?? []) toSinglePath(text);
}

function toSinglePath(text: string | null): Path {
  if (text === null) throw rowError('JSON path cannot be NULL');
  const path = parsePath(text);
  if (path.many) throw rowError('Cannot have wildcards in JSON path when supplying multiple paths');
  return path;
}

function runWhole({ instance, json }: Kit, { put }: Reading, chunk: number, output: number): void {
  forEachDocument({ instance, json }, chunk, output, (root, row) => put(root, output, row));
}

function runWithPath(kit: Kit, reading: Reading, chunk: number, output: number): void {
  const { instance, json } = kit;
  const paths = columnOf(instance, chunk, 1);
  const pathOf = pathReader(instance, paths);
  const isList = depthOf(instance, output) > (reading.returns.match(/\[\]/g)?.length ?? 0);
  const putOne = orNull(instance, reading);
  const putAll = listOf(instance, reading.put);
  forEachDocument(kit, chunk, output, (root, row) => {
    const path = pathOf(row);
    if (path === null) return setNull(instance, output, row);
    if (isList) return putAll(find(json, root, path), output, row);
    if (path.many) {
      throw rowError('JSON path cannot contain wildcards if the path is not a constant parameter');
    }
    return putOne(find(json, root, path)[0] ?? 0, output, row);
  });
}

function runWithPaths(kit: Kit, reading: Reading, chunk: number, output: number): void {
  const { instance, json } = kit;
  const { call, heap } = instance;
  const lists = columnOf(instance, chunk, 1);
  const texts = inputOf(instance, call.duckdb_list_vector_get_child(lists));
  const put = listOf(instance, orNull(instance, reading));
  const entries = call.duckdb_vector_get_data(lists);
  const parsed = new Map<string, Path>();
  const pathAt = (index: number): Path =>
    texts.isNull(index)
      ? toSinglePath(null)
      : remembered(parsed, heap.string(texts.data, index), toSinglePath);
  forEachDocument(kit, chunk, output, (root, row) => {
    const [start, length] = [heap.u32(entries + row * 16), heap.u32(entries + row * 16 + 8)];
    const paths = Array.from({ length }, (_, index) => pathAt(start + index));
    put(
      paths.map((path) => find(json, root, path)[0] ?? 0),
      output,
      row,
    );
  });
}

function orNull(instance: Instance, { put, tellsMissing = false }: Reading): Put<number> {
  if (tellsMissing) return put;
  return (value, vector, row) => (value === 0 ? setNull(instance, vector, row) : put(value, vector, row));
}

/** Each row's document; a null one makes the row null. */
export function forEachDocument(
  { instance, json }: Kit,
  chunk: number,
  output: number,
  use: (root: number, row: number) => void,
): void {
  const documents = inputOf(instance, columnOf(instance, chunk, 0));
  const count = instance.call.duckdb_data_chunk_get_size(chunk);
  for (let row = 0; row < count; row += 1) {
    if (documents.isNull(row)) setNull(instance, output, row);
    else json.read(bytesAt(instance, documents.entry(row)), (root) => use(root, row));
  }
}

/** The path of each row, parsed once for all rows that have the same. */
function pathReader(instance: Instance, column: number): (row: number) => Path | null {
  const { heap } = instance;
  const input = inputOf(instance, column);
  const isIndex = typeIdOf(instance, column) === TYPE.BIGINT;
  const parsed = new Map<string, Path>();
  const textOf = (row: number): string =>
    isIndex ? String(heap.view.getBigInt64(input.data + row * 8, true)) : heap.string(input.data, row);
  return (row) =>
    input.isNull(row) ? null : remembered(parsed, textOf(row), (text) => parsePath(text, isIndex));
}

function remembered<T>(known: Map<string, T>, key: string, make: (key: string) => T): T {
  const value = known.get(key) ?? make(key);
  known.set(key, value);
  return value;
}

function typeIdOf(instance: Instance, vector: number): number {
  return withTypeOf(instance, vector, (type) => instance.call.duckdb_get_type_id(type));
}

/** How many lists a vector's rows are wrapped in. */
function depthOf(instance: Instance, vector: number): number {
  const { call } = instance;
  const depth = (type: number): number =>
    call.duckdb_get_type_id(type) === TYPE.LIST ? 1 + innerDepth(type) : 0;
  const innerDepth = (type: number): number => {
    const inner = call.duckdb_list_type_child_type(type);
    const found = depth(inner);
    destroyType(instance, inner);
    return found;
  };
  return withTypeOf(instance, vector, depth);
}

function withTypeOf<T>(instance: Instance, vector: number, use: (type: number) => T): T {
  const type = instance.call.duckdb_vector_get_column_type(vector);
  try {
    return use(type);
  } finally {
    destroyType(instance, type);
  }
}

function destroyType({ call, heap, scratch }: Instance, type: number): void {
  heap.setU32(scratch, type);
  call.duckdb_destroy_logical_type(scratch);
}
