import type { DuckDBPreparedStatement, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';
import { own } from '../../../src/json.ts';
import { type ValueType, valueTypeOf } from '../../../src/sql/value-type.ts';
import type { SqlValue, TimeType } from '../../../src/sql-value.ts';
import type { Driver } from '../driver/driver.ts';
import { enforceJsonDepth } from './json-depth.ts';

/** A parameter of a date or time type, sent as text. */
export interface TextValue {
  readonly sqlType: TimeType;
  readonly text: string;
}

/** Runs DuckDB's own casts, in order. */
export interface Casts {
  /** Converts parameters of date or time types. */
  readonly times: (texts: readonly TextValue[]) => Promise<readonly DuckDBValue[]>;
  /** Writes values as texts. */
  readonly texts: (
    values: readonly DuckDBValue[],
    types: readonly DuckDBType[],
  ) => Promise<readonly DuckDBValue[]>;
}

/** Binds `$1 .. $n`, each with its SQL type. Throws `arguments_invalid` for a text with JSON of too many levels. */
export async function bindValues(
  { api, bindTypedNull }: Driver,
  statement: DuckDBPreparedStatement,
  values: readonly SqlValue[],
  casts: Casts,
): Promise<void> {
  const wanted = statement.parameterCount;
  if (wanted !== values.length) {
    throw new SvcError(
      'sql_failed',
      `The statement takes ${wanted} parameters, but ${values.length} were given.`,
    );
  }
  values.forEach(enforceJsonDepth);
  const times = await readTimes(values.flatMap(timesOf), casts);
  for (const [index, value] of values.entries()) {
    if (bindPlain(statement, index + 1, value)) continue;
    const type = valueTypeOf(value);
    if (isTypedNull(value)) {
      bindTypedNull(statement, index + 1, toType(api, type));
      continue;
    }
    const texts = await readTexts(api, mixedIn(value, type), { times, casts });
    statement.bindValue(index + 1, toDuckdb(api, value, type, { times, texts }), toType(api, type));
  }
}

/** Binds a value of a type that the driver binds without making an object of its own, which costs several times as much. */
function bindPlain(statement: DuckDBPreparedStatement, index: number, value: SqlValue): boolean {
  if (value === null) statement.bindNull(index);
  else if (typeof value === 'string') statement.bindVarchar(index, value);
  else if (typeof value === 'number') statement.bindDouble(index, value);
  else if (typeof value === 'boolean') statement.bindBoolean(index, value);
  else if (typeof value !== 'bigint') return false;
  else if (BigInt.asIntN(32, value) === value) statement.bindInteger(index, Number(value));
  else if (BigInt.asIntN(64, value) === value) statement.bindBigInt(index, value);
  else return false;
  return true;
}

/** Returns one query that casts the text of each parameter to its type. */
export function castQuery(texts: readonly TextValue[]): string {
  return `SELECT ${texts.map(({ sqlType }, index) => `CAST($${index + 1} AS ${sqlType})`).join(', ')}`;
}

/** Returns one query that writes each parameter as text. */
export function textQuery(values: readonly DuckDBValue[]): string {
  return `SELECT ${values.map((_, index) => `CAST($${index + 1} AS VARCHAR)`).join(', ')}`;
}

type NestedValue = Extract<SqlValue, { readonly list: unknown } | { readonly struct: unknown }>;

function isNested(value: SqlValue): value is NestedValue {
  return typeof value === 'object' && value !== null && !('sqlType' in value);
}

function timesOf(value: SqlValue): readonly TextValue[] {
  if (isNested(value)) return ('list' in value ? value.list : Object.values(value.struct)).flatMap(timesOf);
  return isTime(value) ? [value] : [];
}

function isTime(value: SqlValue): value is TextValue {
  return typeof value === 'object' && value !== null && 'sqlType' in value && value.text !== null;
}

function isTypedNull(value: SqlValue): boolean {
  return typeof value === 'object' && value !== null && 'sqlType' in value && value.text === null;
}

/**
 * The parts of a value that stand among values of other types, so that their list is one of texts; inner ones first.
 * Texts, whole numbers and booleans are missing: JavaScript writes them as DuckDB does.
 */
function mixedIn(value: SqlValue, type: ValueType): readonly SqlValue[] {
  const isText = type.kind === 'scalar' && type.name === 'VARCHAR';
  if (!isNested(value)) {
    const differs = typeof value === 'number' || isTime(value);
    return isText && differs ? [value] : [];
  }
  if (isText) return [...mixedIn(value, valueTypeOf(value)), value];
  if ('list' in value)
    return type.kind === 'list' ? value.list.flatMap((item) => mixedIn(item, type.items)) : [];
  const fields = type.kind === 'struct' ? [...type.fields] : [];
  return fields.flatMap(([name, field]) => mixedIn(own(value.struct, name) ?? null, field));
}

type ByValue = ReadonlyMap<SqlValue, DuckDBValue>;

async function readTimes(times: readonly TextValue[], casts: Casts): Promise<ByValue> {
  const read = times.length === 0 ? [] : await casts.times(times);
  return new Map(times.map((time, index) => [time, read[index] ?? null]));
}

/** Nested values become texts one after the other, because each may hold the ones before, and the others together. */
async function readTexts(
  api: Driver['api'],
  mixed: readonly SqlValue[],
  { times, casts }: { readonly times: ByValue; readonly casts: Casts },
): Promise<ByValue> {
  const texts = new Map<SqlValue, DuckDBValue>();
  const plain = mixed.filter((value) => !isNested(value));
  const nested = mixed.filter(isNested).map((value) => [value]);
  for (const group of [plain, ...nested].filter(({ length }) => length > 0)) {
    const types = group.map(valueTypeOf);
    const values = types.map((type, index) => toDuckdb(api, group[index] ?? null, type, { times, texts }));
    const read = await casts.texts(
      values,
      types.map((type) => toType(api, type)),
    );
    for (const [index, value] of group.entries()) texts.set(value, read[index] ?? null);
  }
  return texts;
}

/** Values that the driver cannot make: those of date and time types, and texts in place of objects. */
interface Known {
  readonly times: ByValue;
  readonly texts: ByValue;
}

function toDuckdb(api: Driver['api'], value: SqlValue, type: ValueType, known: Known): DuckDBValue {
  if (value === null || isTypedNull(value)) return null;
  if (type.kind === 'scalar') return toScalar(value, type.name, known);
  if (typeof value === 'object' && 'list' in value && type.kind === 'list') {
    return api.listValue(value.list.map((item) => toDuckdb(api, item, type.items, known)));
  }
  if (typeof value === 'object' && 'struct' in value && type.kind === 'struct') {
    const entries = [...type.fields].map(([name, field]) => {
      return [name, toDuckdb(api, own(value.struct, name) ?? null, field, known)] as const;
    });
    return api.structValue(Object.fromEntries(entries));
  }
  throw new SvcError('internal', `A parameter is not of kind ${type.kind}.`);
}

function toScalar(value: SqlValue, name: string, { times, texts }: Known): DuckDBValue {
  if (name === 'VARCHAR') return texts.get(value) ?? String(value);
  if (typeof value === 'object') return times.get(value) ?? null;
  if (typeof value !== 'bigint') return value;
  if (BigInt.asIntN(128, value) !== value) {
    throw new SvcError('sql_failed', `The integer ${value} is larger than a HUGEINT.`);
  }
  return name === 'INTEGER' || name === 'DOUBLE' ? Number(value) : value;
}

function toType(api: Driver['api'], type: ValueType): DuckDBType {
  if (type.kind === 'list') return api.LIST(toType(api, type.items));
  if (type.kind === 'scalar') return type.name === 'TIMESTAMP_TZ' ? api.TIMESTAMPTZ : api[type.name];
  const fields = [...type.fields].map(([name, field]) => [name, toType(api, field)] as const);
  return api.STRUCT(Object.fromEntries(fields));
}
