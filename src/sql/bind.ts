import type { JsonObject, JsonValue } from '../json.ts';
import type { SqlValue } from '../ports.ts';
import { type Format, formatOf } from '../types/formats.ts';
import type { TypeNode } from '../types/node.ts';

/** Converts a checked argument to a value that DuckDB binds under the declared type. Values never become part of the SQL. */
export function toSqlValue(parameter: TypeNode, value: JsonValue): SqlValue {
  if (value === null) return null;
  switch (parameter.type) {
    case 'integer':
      return BigInt(value as number | string);
    case 'number':
      return Number(value);
    case 'boolean':
      return value === true;
    case 'string':
      return toTextValue(parameter.format, String(value));
    case 'array':
      return toList(parameter, Array.isArray(value) ? value : [value]);
    case 'object':
      return toStruct(parameter, value);
  }
}

function toTextValue(format: Format | undefined, text: string): SqlValue {
  const toSql = format === undefined ? null : formatOf(format).toSql;
  return toSql === null ? text : toSql(text);
}

function toList({ items }: TypeNode, values: readonly JsonValue[]): SqlValue {
  if (items) return { list: values.map((item) => toSqlValue(items, item)) };
  return { list: values.map(untypedItem(values)) };
}

/** Items of a list without `items` share one scalar type if they can; otherwise the list holds their JSON texts. */
function untypedItem(values: readonly JsonValue[]): (item: JsonValue) => SqlValue {
  const present = values.filter((item) => item !== null);
  if (present.every((item) => typeof item === 'boolean')) return (item) => item as boolean | null;
  if (present.every((item) => Number.isSafeInteger(item))) {
    return (item) => (item === null ? null : BigInt(item as number));
  }
  if (present.every((item) => typeof item === 'number')) return (item) => item as number | null;
  return (item) => (item === null || typeof item === 'string' ? item : JSON.stringify(item));
}

/** A STRUCT with the declared properties in their order. An object without declared properties becomes its JSON text. */
function toStruct({ properties = {} }: TypeNode, value: JsonValue): SqlValue {
  const declared = Object.entries(properties);
  if (declared.length === 0) return JSON.stringify(value);
  const fields = value as JsonObject;
  return {
    struct: Object.fromEntries(
      declared.map(([name, node]) => [
        name,
        toSqlValue(node, Object.hasOwn(fields, name) ? (fields[name] ?? null) : null),
      ]),
    ),
  };
}
