import { TYPE } from '../../query/types.ts';
import { constantCast, type Loader, withCppText } from '../extension-loader.ts';
import { LOGICAL_TYPE } from '../layout.ts';
import { guarded, throwInDuckdb } from '../scalar-function.ts';
import { inputOf, putList, setBytes, setNull } from '../vector.ts';
import { KIND } from './document.ts';
import { fromVector } from './from-json.ts';
import { encodeVector, type JsonKit } from './to-json.ts';

/** The types that this file casts in another way than the rest, or not at all. */
const NOT_CAST = /^(?:VARCHAR|DECIMAL|ENUM|LIST|STRUCT|MAP|UNION|ARRAY|SQLNULL|VARIANT)$/;
const SCALARS = Object.keys(TYPE).filter((name) => !NOT_CAST.test(name));

/** Casts a vector; returns the error of the first value that cannot be cast, or null. */
type Cast = (source: number, target: number, count: number) => string | null;

/** Registers the type JSON, and the casts to it and from it. */
export function registerJson(kit: JsonKit, loader: Loader, connection: number): void {
  const { instance, types } = kit;
  const json = types.get('JSON');
  instance.call.duckdb_register_logical_type(connection, json, 0);
  const text = types.get('VARCHAR');
  const list = types.get('JSON[]');
  const nothing = types.get('SQLNULL');
  const [toJson, fromJson] = [castAddress(kit, encode(kit)), castAddress(kit, decode(kit))];
  for (const type of allTypes(kit)) {
    loader.cast(type, json, toJson, Math.max(0, loader.castCost(type, text) - 1));
    loader.cast(json, type, fromJson, loader.castCost(text, type));
  }
  const words = enumType(kit);
  loader.cast(words, json, toJson, 0);
  loader.cast(json, words, fromJson, loader.castCost(text, types.get('DATE')));
  loader.cast(json, text, constantCast(instance, instance.addressOf(instance.cpp.reinterpretCast)), 1);
  loader.cast(text, json, castAddress(kit, check(kit)), loader.castCost(nothing, structOfAny(kit)) + 1);
  loader.cast(nothing, json, castAddress(kit, nulls(kit)), loader.castCost(nothing, text) + 1);
  const joined = castAddress(kit, join(kit));
  loader.cast(list, text, joined, loader.castCost(list, text) - 1);
  loader.cast(list, json, joined, 100);
  loader.cast(text, list, castAddress(kit, split(kit)), loader.castCost(text, list) - 1);
}

/** Returns the address of a bind function that always answers this cast. */
function castAddress(kit: JsonKit, cast: Cast): number {
  const { instance } = kit;
  return constantCast(
    instance,
    instance.addCallback('cast', (source, target, count, parameters) => {
      instance.cpp.flattenVector(source, Number(count), 0);
      return guarded(
        () => {
          const problem = cast(source, target, Number(count));
          if (problem === null) return 1;
          // Throws where the statement does not say TRY_CAST.
          withCppText(instance, problem, (at) => instance.cpp.castError(at, parameters));
          return 0;
        },
        // Rows that were not written hold whatever was in the memory. DuckDB reads them unless the statement fails.
        (message) => throwInDuckdb(instance, message),
      );
    }),
  );
}

function structOfAny({ instance, types }: JsonKit): number {
  return memberType(instance.call.duckdb_create_struct_type, { instance, types });
}

type Members = (types: number, names: number, count: number, high: number) => number;

function memberType(create: Members, { instance, types }: Pick<JsonKit, 'instance' | 'types'>): number {
  return instance.withText('any', (name) => {
    const { heap, scratch } = instance;
    heap.words(scratch + 24, [types.get('ANY'), name]);
    return create(scratch + 24, scratch + 28, 1, 0);
  });
}

/** Any ENUM: a type of that kind without its words. */
function enumType({ instance: { allocate, heap } }: JsonKit): number {
  const type = allocate(LOGICAL_TYPE.bytes);
  heap.words(type, [LOGICAL_TYPE.enum, 0, 0]);
  return type;
}

/** Every type except text; nested types with parts of any type. */
function allTypes(kit: JsonKit): readonly number[] {
  const { instance, types } = kit;
  const { call, cpp, heap, allocate } = instance;
  const any = types.get('ANY');
  const decimal = allocate(LOGICAL_TYPE.bytes);
  heap.words(decimal, [LOGICAL_TYPE.decimal, 0, 0]);
  const array = allocate(LOGICAL_TYPE.bytes);
  cpp.anyArrayType(array, any, -1, -1);
  return [
    ...SCALARS.map((name) => types.get(name)),
    ...[decimal, array, types.get('ANY[]'), structOfAny(kit)],
    memberType(call.duckdb_create_union_type, kit),
    call.duckdb_create_map_type(any, any),
  ];
}

const encode =
  (kit: JsonKit): Cast =>
  (source, target, count) => {
    encodeVector(kit, source, target, count);
    return null;
  };

const decode =
  (kit: JsonKit): Cast =>
  (source, target, count) =>
    fromVector(kit, source, target, { count, strictness: { strict: true, unknownNames: true } });

const nulls =
  ({ instance }: JsonKit): Cast =>
  (_, target, count) => {
    for (let row = 0; row < count; row += 1) setNull(instance, target, row);
    return null;
  };

/** Checks that text is JSON, and copies it unchanged. */
const check =
  ({ instance, json }: JsonKit): Cast =>
  (source, target, count) => {
    const input = inputOf(instance, source);
    let problem: string | null = null;
    for (let row = 0; row < count; row += 1) {
      const text = input.isNull(row) ? null : input.bytes(row);
      const wrong = text === null ? null : json.problem(text);
      problem ??= wrong;
      if (text === null || wrong !== null) setNull(instance, target, row);
      else setBytes(instance, target, row, text);
    }
    return problem;
  };

/** Writes a list of JSON as text, each item unchanged. */
const join =
  ({ instance }: JsonKit): Cast =>
  (source, target, count) => {
    const { call, heap, withText } = instance;
    const items = inputOf(instance, call.duckdb_list_vector_get_child(source));
    const lists = inputOf(instance, source);
    const itemAt = (index: number): string => (items.isNull(index) ? 'NULL' : heap.string(items.data, index));
    for (let row = 0; row < count; row += 1) {
      if (lists.isNull(row)) {
        setNull(instance, target, row);
        continue;
      }
      const [start, length] = lists.range(row);
      const parts = Array.from({ length }, (_, index) => itemAt(start + index));
      withText(`[${parts.join(', ')}]`, (at, bytes) =>
        setBytes(instance, target, row, { at, length: bytes }),
      );
    }
    return null;
  };

/** Reads a JSON array in text as a list of JSON. */
const split =
  ({ instance, json }: JsonKit): Cast =>
  (source, target, count) => {
    const input = inputOf(instance, source);
    const put = putList<number>(instance, (value, vector, row) => json.put(value, vector, row));
    let problem: string | null = null;
    for (let row = 0; row < count; row += 1) {
      const text = input.isNull(row) ? null : input.bytes(row);
      const wrong =
        text === null
          ? null
          : (json.problem(text) ??
            json.read(text, (root) => {
              if (json.kind(root) !== KIND.array)
                return `Cannot cast to list of JSON. Input "${json.text(root).slice(0, 47)}"`;
              put(json.items(root), target, row);
              return null;
            }));
      problem ??= wrong;
      if (text === null || wrong !== null) setNull(instance, target, row);
    }
    return problem;
  };
