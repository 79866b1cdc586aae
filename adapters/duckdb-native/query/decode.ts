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
  DuckDBTimeNSValue,
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
import { SvcError } from '../../../src/errors.ts';
import type { JsonValue } from '../../../src/json.ts';
import {
  bitForm,
  blobForm,
  dateForm,
  decimalForm,
  doubleForm,
  floatForm,
  floatingKey,
  integerForm,
  intervalForm,
  mapForm,
  structForm,
  timeForm,
  timestampForm,
  timeTzForm,
} from '../../../src/sql/forms.ts';
import { jsonForm } from '../../../src/sql/json-form.ts';
import type { Driver } from '../driver/driver.ts';

/** Converts a value of the driver to its exact JSON form. */
export type Decode = (value: DuckDBValue) => JsonValue;

/** Returns the decoder of a type. It is made once for each column. */
export type DecoderOf = (type: DuckDBType) => Decode;

/** Creates the decoders of all types that the driver knows. */
export function createDecoders({ api }: Driver): DecoderOf {
  const scalars = scalarForms(api.DuckDBTypeId);
  const decoderOf: DecoderOf = (type) => {
    const form = formOf(type);
    return (value) => (value === null ? null : form(value));
  };
  const formOf = (type: DuckDBType): Decode => {
    if (type.alias === 'JSON') return (value) => jsonForm(String(value));
    return nestedForm(type, { decoderOf, keyOf }) ?? scalars.get(type.typeId) ?? refuse(type);
  };
  const keyOf: DecoderOf = (type) => {
    if (type.typeId === api.DuckDBTypeId.FLOAT) return floatingKeys(floatForm);
    if (type.typeId === api.DuckDBTypeId.DOUBLE) return floatingKeys(doubleForm);
    return decoderOf(type);
  };
  return decoderOf;
}

/** The decoders of the parts of a nested type. */
interface PartDecoders {
  readonly decoderOf: DecoderOf;
  /** The decoder of the keys of a MAP. */
  readonly keyOf: DecoderOf;
}

/** Throws for the first value, so that a column of nothing but NULL can be sent. */
function refuse(type: DuckDBType): Decode {
  return () => {
    throw unsendable(typeName(type));
  };
}

/** The properties of a nested type that hold the types of its parts. */
const PARTS = ['entryTypes', 'memberTypes', 'keyType', 'valueType'] as const;

/**
 * Gives each part without a type the type INTEGER, as DuckDB does to a column of NULLs that it reads from a query in
 * brackets. The driver cannot read a column without a type.
 */
export function completeType({ api }: Pick<Driver, 'api'>, type: DuckDBType): DuckDBType {
  if (type.typeId === api.DuckDBTypeId.SQLNULL) return api.INTEGER;
  const complete = (part: DuckDBType): DuckDBType => completeType({ api }, part);
  for (const name of PARTS) {
    const part: DuckDBType | readonly DuckDBType[] | undefined = Reflect.get(type, name);
    if (part !== undefined) Reflect.set(type, name, 'map' in part ? part.map(complete) : complete(part));
  }
  return type;
}

/** Names fields by their position, because the driver gives all unnamed fields the same property. */
export function nameFieldsByPosition(type: DuckDBType): void {
  if ('entryTypes' in type) {
    Object.assign(type, { entryNames: type.entryTypes.map((_, index) => String(index)) });
    type.entryTypes.forEach(nameFieldsByPosition);
  }
  if ('memberTypes' in type) type.memberTypes.forEach(nameFieldsByPosition);
  if ('keyType' in type) nameFieldsByPosition(type.keyType);
  if ('valueType' in type) nameFieldsByPosition(type.valueType);
}

/** The error for a column whose type has no JSON form. */
export function unsendable(type: string): SvcError {
  return new SvcError(
    'sql_failed',
    `The result has a column of type ${type}, which cannot be sent. Cast it to VARCHAR.`,
  );
}

/** Casts a decoder: the driver's types do not say which class of value each SQL type has. */
const form = <T>(toForm: (value: T) => JsonValue): Decode => toForm as unknown as Decode;

/** The decoder of FLOAT or DOUBLE keys. A key that from_json could not convert is NULL. */
const floatingKeys = (toForm: (value: number) => number | null): Decode =>
  form<number | null>((key) => (key === null ? null : floatingKey(key, toForm)));

function scalarForms(ID: Driver['api']['DuckDBTypeId']): ReadonlyMap<number, Decode> {
  const asIs = form<boolean | number | string>((value) => value);
  const integer = form<bigint>(integerForm);
  return new Map<number, Decode>([
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
    [ID.TIME_NS, form(({ nanos }: DuckDBTimeNSValue) => timeForm(nanos, 'ns'))],
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
  ]);
}

/** Returns the decoder of a nested type; null for any other. */
function nestedForm(type: DuckDBType, { decoderOf, keyOf }: PartDecoders): Decode | null {
  if ('entryTypes' in type) {
    const names = type.entryNames;
    const parts = type.entryTypes.map(decoderOf);
    return form(({ entries }: DuckDBStructValue) => {
      const values = parts.map((decode, index) => decode(entries[String(index)] ?? null));
      return structForm(names, values);
    });
  }
  if ('memberTypes' in type) {
    const members = new Map(
      type.memberTypes.map((member, index) => [type.memberTags[index], decoderOf(member)]),
    );
    return form(({ tag, value }: DuckDBUnionValue) => members.get(tag)?.(value) ?? null);
  }
  if ('keyType' in type) {
    const [toKey, toValue] = [keyOf(type.keyType), decoderOf(type.valueType)];
    return form(({ entries }: DuckDBMapValue) =>
      mapForm(entries.map(({ key, value }) => [toKey(key), toValue(value)])),
    );
  }
  if (!('valueType' in type)) return null;
  const itemOf = decoderOf(type.valueType);
  return form(({ items }: DuckDBListValue | DuckDBArrayValue) => items.map(itemOf));
}

/** Returns DuckDB's name of a type, as `typeof` does. */
export function typeName(type: DuckDBType): string {
  if (type.alias) return type.alias;
  if ('entryNames' in type) return `STRUCT(${membersText(type.entryNames, type.entryTypes)})`;
  if ('memberTags' in type) return `UNION(${membersText(type.memberTags, type.memberTypes)})`;
  if ('keyType' in type) return `MAP(${typeName(type.keyType)}, ${typeName(type.valueType)})`;
  if ('length' in type) return `${typeName(type.valueType)}[${type.length}]`;
  if ('valueType' in type) return `${typeName(type.valueType)}[]`;
  return type.toString();
}

function membersText(names: readonly string[], types: readonly DuckDBType[]): string {
  return types.map((type, index) => quoted(names[index] ?? '') + typeName(type)).join(', ');
}

/** Writes a member's name before its type: quoted unless it is a plain word, empty if it has none. */
function quoted(name: string): string {
  if (name === '') return '';
  return /^[a-z_][a-z0-9_]*$/.test(name) ? `${name} ` : `"${name.replaceAll('"', '""')}" `;
}
