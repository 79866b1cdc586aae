import type { DuckDBPreparedStatement, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';
import { type ValueType, valueTypeOf } from '../../../src/sql/value-type.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import type { Driver } from '../driver/driver.ts';

/** A parameter of a date or time type, sent as text. */
export type TextValue = Extract<SqlValue, { readonly sqlType: unknown }>;

/** Converts such parameters with DuckDB's own casts, in order. */
export type CastTexts = (texts: readonly TextValue[]) => Promise<readonly DuckDBValue[]>;

/** Binds `$1 .. $n`, each with its SQL type. */
export async function bindValues(
  { api }: Driver,
  statement: DuckDBPreparedStatement,
  values: readonly SqlValue[],
  cast: CastTexts,
): Promise<void> {
  const wanted = statement.parameterCount;
  if (wanted !== values.length) {
    throw new SvcError(
      'sql_failed',
      `The statement takes ${wanted} parameters, but ${values.length} were given.`,
    );
  }
  const texts = values.flatMap(textsOf);
  const read = texts.length === 0 ? [] : await cast(texts);
  const times = new Map(texts.map((text, index) => [text, read[index] ?? null]));
  values.forEach((value, index) => {
    if (bindPlain(statement, index + 1, value)) return;
    const type = valueTypeOf(value);
    statement.bindValue(index + 1, toDuckdb(api, value, type, times), toType(api, type));
  });
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

function textsOf(value: SqlValue): readonly TextValue[] {
  if (value === null || typeof value !== 'object') return [];
  if ('sqlType' in value) return [value];
  return ('list' in value ? value.list : Object.values(value.struct)).flatMap(textsOf);
}

type Times = ReadonlyMap<SqlValue, DuckDBValue>;

function toDuckdb(api: Driver['api'], value: SqlValue, type: ValueType, times: Times): DuckDBValue {
  if (value === null) return null;
  if (type.kind === 'scalar') return toScalar(value, type.name, times);
  if (typeof value === 'object' && 'list' in value && type.kind === 'list') {
    return api.listValue(value.list.map((item) => toDuckdb(api, item, type.items, times)));
  }
  if (typeof value === 'object' && 'struct' in value && type.kind === 'struct') {
    const entries = [...type.fields].map(([name, field]) => {
      return [name, toDuckdb(api, value.struct[name] ?? null, field, times)] as const;
    });
    return api.structValue(Object.fromEntries(entries));
  }
  throw new SvcError('internal', `A parameter is not of kind ${type.kind}.`);
}

function toScalar(value: SqlValue, name: string, times: Times): DuckDBValue {
  if (typeof value === 'object') return times.get(value) ?? JSON.stringify(value);
  if (name === 'VARCHAR') return String(value);
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
