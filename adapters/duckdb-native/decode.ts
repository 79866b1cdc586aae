import type {
  DuckDBArrayValue,
  DuckDBBitValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeTZValue,
  DuckDBTimeValue,
  DuckDBType,
  DuckDBUnionValue,
  DuckDBUUIDValue,
  DuckDBValue,
} from '@duckdb/node-api';
import { SvcError } from '../../src/errors.ts';
import type { JsonValue } from '../../src/json.ts';
import {
  bitForm,
  blobForm,
  dateForm,
  decimalForm,
  doubleForm,
  floatForm,
  integerForm,
  intervalForm,
  jsonForm,
  mapForm,
  structForm,
  timeForm,
  timestampForm,
  timeTzForm,
} from '../../src/sql/forms.ts';
import type { Driver } from './driver.ts';
import { typeName } from './type-name.ts';

/** A value of the driver in its exact JSON form. */
export type Decode = (value: DuckDBValue, type: DuckDBType) => JsonValue;

/** The decoder of all types that the driver knows. */
export function createDecode({ api }: Driver): Decode {
  const scalars = scalarForms(api.DuckDBTypeId);
  return function decode(value, type) {
    if (value === null) return null;
    if (type.alias === 'JSON') return jsonForm(String(value));
    if ('valueType' in type || 'entryTypes' in type || 'memberTypes' in type)
      return nestedForm(value, type, decode);
    const form = scalars.get(type.typeId);
    if (form === undefined) throw unknownType(typeName(type));
    return form(value);
  };
}

/** Fields are known by their position, since unnamed ones would all be the same property of the driver's value. */
export function nameFieldsByPosition(type: DuckDBType): void {
  if ('entryTypes' in type) {
    Object.assign(type, { entryNames: type.entryTypes.map((_, index) => String(index)) });
    type.entryTypes.forEach(nameFieldsByPosition);
  }
  if ('memberTypes' in type) type.memberTypes.forEach(nameFieldsByPosition);
  if ('keyType' in type) nameFieldsByPosition(type.keyType);
  if ('valueType' in type) nameFieldsByPosition(type.valueType);
}

/** DuckDB has a few types that its C interface, and with it both engines, cannot carry. */
export function unknownType(column: string): SvcError {
  return new SvcError(
    'sql_failed',
    `The result has a column, ${column}, of a type that cannot be sent. Cast it to VARCHAR.`,
  );
}

type ScalarForm = (value: DuckDBValue) => JsonValue;

/** The driver gives each type its own class of value, which its types do not say. */
const form = <T>(toForm: (value: T) => JsonValue): ScalarForm => toForm as unknown as ScalarForm;

function scalarForms(ID: Driver['api']['DuckDBTypeId']): ReadonlyMap<number, ScalarForm> {
  const asIs = form<boolean | number | string>((value) => value);
  const integer = form<bigint>(integerForm);
  return new Map<number, ScalarForm>([
    ...[ID.BOOLEAN, ID.TINYINT, ID.SMALLINT, ID.INTEGER].map((id) => [id, asIs] as const),
    ...[ID.UTINYINT, ID.USMALLINT, ID.UINTEGER, ID.VARCHAR, ID.ENUM].map((id) => [id, asIs] as const),
    ...[ID.BIGINT, ID.UBIGINT, ID.HUGEINT, ID.UHUGEINT, ID.BIGNUM].map((id) => [id, integer] as const),
    [ID.FLOAT, form(floatForm)],
    [ID.DOUBLE, form(doubleForm)],
    [ID.DECIMAL, form(({ value, scale }: DuckDBDecimalValue) => decimalForm(value, scale))],
    [ID.BLOB, form(({ bytes }: DuckDBBlobValue) => blobForm(bytes))],
    [ID.BIT, form(({ data }: DuckDBBitValue) => bitForm(data))],
    [ID.UUID, form((value: DuckDBUUIDValue) => value.toString())],
    [ID.DATE, form(({ days }: DuckDBDateValue) => dateForm(days))],
    [ID.TIME, form(({ micros }: DuckDBTimeValue) => timeForm(micros))],
    [ID.TIME_TZ, form(({ micros, offset }: DuckDBTimeTZValue) => timeTzForm(micros, offset))],
    [ID.TIMESTAMP, form(({ micros }: DuckDBTimestampValue) => timestampForm(micros, 'us', false))],
    [ID.TIMESTAMP_TZ, form(({ micros }: DuckDBTimestampTZValue) => timestampForm(micros, 'us', true))],
    [ID.TIMESTAMP_S, form(({ seconds }: DuckDBTimestampSecondsValue) => timestampForm(seconds, 's', false))],
    [
      ID.TIMESTAMP_MS,
      form(({ millis }: DuckDBTimestampMillisecondsValue) => timestampForm(millis, 'ms', false)),
    ],
    [
      ID.TIMESTAMP_NS,
      form(({ nanos }: DuckDBTimestampNanosecondsValue) => timestampForm(nanos, 'ns', false)),
    ],
    [
      ID.INTERVAL,
      form(({ months, days, micros }: DuckDBIntervalValue) => intervalForm(months, days, micros)),
    ],
    [ID.SQLNULL, () => null],
  ]);
}

function nestedForm(value: DuckDBValue, type: DuckDBType, decode: Decode): JsonValue {
  if ('entryTypes' in type) {
    const { entries } = value as DuckDBStructValue;
    const parts = type.entryTypes.map((part, index) => decode(entries[String(index)] ?? null, part));
    return structForm(type.entryNames, parts);
  }
  if ('memberTypes' in type) {
    const { tag, value: member } = value as DuckDBUnionValue;
    return decode(member, type.memberTypeForTag(tag));
  }
  if ('keyType' in type) {
    const { entries } = value as DuckDBMapValue;
    return mapForm(
      entries.map((entry) => [decode(entry.key, type.keyType), decode(entry.value, type.valueType)]),
    );
  }
  if (!('valueType' in type)) throw unknownType(typeName(type));
  const { items } = value as DuckDBListValue | DuckDBArrayValue;
  return items.map((item) => decode(item, type.valueType));
}
