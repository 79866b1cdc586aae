import { SvcError } from '../errors.ts';
import { isList, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { SqlValue } from '../sql-value.ts';
import { MAX_VALUES } from '../types/coerce.ts';
import { formatOf } from '../types/formats.ts';
import type { TypeNode } from '../types/node.ts';

/** The most undeclared properties that one object type takes: each one is a field of every struct in a list. */
const MAX_UNDECLARED = 100;

/**
 * Converts a checked argument to a value that DuckDB binds under the declared type. Values never become part of the SQL.
 * Throws arguments_invalid for undeclared properties that no struct can hold.
 */
export function toSqlValue(parameter: TypeNode, value: JsonValue): SqlValue {
  return toColumn(parameter, [value])[0] ?? null;
}

/** Converts values that share one type. They are the items of one list, or properties of them, so they convert alike. */
function toColumn(node: TypeNode, values: readonly JsonValue[]): readonly SqlValue[] {
  switch (node.type) {
    case 'integer':
      return values.map((value) => (value === null ? null : BigInt(value as number | string)));
    case 'number':
      return values.map((value) => (value === null ? null : Number(value)));
    case 'boolean':
      return values.map((value) => (value === null ? null : value === true));
    case 'string': {
      const { toSql, nullType } = node.format === undefined ? TEXT : formatOf(node.format);
      const convert = toSql ?? String;
      // Beside other values, NULL has their type.
      const isAlone = nullType !== null && values.every((value) => value === null);
      const missing = isAlone ? { sqlType: nullType, text: null } : null;
      return values.map((value) => (value === null ? missing : convert(String(value))));
    }
    case 'array':
      return toLists(values, node.items);
    case 'object':
      return toStructs(node, values);
  }
}

const TEXT = { toSql: null, nullType: null };

/** Converts lists whose items share one type. */
function toLists(values: readonly JsonValue[], items: TypeNode | undefined): readonly SqlValue[] {
  const lists = values.map((value) => (value === null || isList(value) ? value : [value]));
  const all = lists.flatMap((list) => list ?? []);
  const converted = items ? toColumn(items, all) : all.map(untypedItem(all));
  // Without an item, the declared type is the only one.
  const missing = items === undefined || all.length > 0 ? null : toSqlValue(items, null);
  let at = 0;
  return lists.map((list) => {
    if (list === null) return null;
    if (missing !== null) return { list: [], items: missing };
    at += list.length;
    return { list: converted.slice(at - list.length, at) };
  });
}

/** Values without a declared type share one scalar type if they can; otherwise each becomes its JSON text. */
function untypedItem(values: readonly JsonValue[]): (item: JsonValue) => SqlValue {
  const present = values.filter((item) => item !== null);
  if (present.every((item) => typeof item === 'boolean')) return (item) => item as boolean | null;
  if (present.every((item) => Number.isSafeInteger(item))) {
    return (item) => (item === null ? null : BigInt(item as number));
  }
  if (present.every((item) => typeof item === 'number')) return (item) => item as number | null;
  return (item) => (item === null || typeof item === 'string' ? item : JSON.stringify(item));
}

/**
 * Converts objects to a STRUCT with the declared properties in their order, then the undeclared ones.
 * Objects without declared properties become their JSON text.
 */
function toStructs(node: TypeNode, values: readonly JsonValue[]): readonly SqlValue[] {
  const declared = Object.entries(node.properties ?? {});
  if (declared.length === 0) return values.map((value) => (value === null ? null : JSON.stringify(value)));
  const objects = values.map((value) => (isObject(value) ? value : null));
  const valuesOf = (name: string): readonly JsonValue[] =>
    objects.map((fields) => (fields !== null && Object.hasOwn(fields, name) ? (fields[name] ?? null) : null));
  const undeclared = undeclaredNames(declared, objects);
  enforceSize(objects.filter((fields) => fields !== null).length, declared.length + undeclared.length);
  const columns = [
    ...declared.map(([name, type]) => [name, toColumn(type, valuesOf(name))] as const),
    ...undeclared.map((name) => [name, toUntyped(valuesOf(name))] as const),
  ];
  return objects.map((fields, row) =>
    fields === null
      ? null
      : { struct: Object.fromEntries(columns.map(([name, column]) => [name, column[row] ?? null])) },
  );
}

/** Refuses a list with too many fields: a property of one object becomes a field of each struct. Throws arguments_invalid. */
function enforceSize(structs: number, fields: number): void {
  if (structs * fields <= MAX_VALUES) return;
  throw invalid(
    `A list of ${structs} objects with ${fields} properties has more than ${MAX_VALUES} values, as each object has all properties in SQL.`,
  );
}

/** Converts the values of an undeclared property. */
function toUntyped(values: readonly JsonValue[]): readonly SqlValue[] {
  const areLists = values.every((value) => value === null || isList(value));
  const areNull = values.every((value) => value === null);
  return areLists && !areNull ? toLists(values, undefined) : values.map(untypedItem(values));
}

/** The names of the undeclared properties of all objects. SQL does not tell names apart that differ in case only. */
function undeclaredNames(
  declared: readonly (readonly [string, TypeNode])[],
  objects: readonly (JsonObject | null)[],
): readonly string[] {
  const names = new Map(declared.map(([name]) => [name.toLowerCase(), name]));
  const seen = new Set(declared.map(([name]) => name));
  const undeclared: string[] = [];
  for (const name of objects.flatMap((fields) => Object.keys(fields ?? {}))) {
    if (seen.has(name)) continue;
    seen.add(name);
    const known = names.get(name.toLowerCase());
    if (known !== undefined) {
      throw invalid(
        `The properties ${known} and ${name} differ in upper and lower case only, and SQL takes them for one.`,
      );
    }
    if (name === '' || name.includes('\0')) throw invalid('A property needs a name that SQL can use.');
    names.set(name.toLowerCase(), name);
    undeclared.push(name);
    if (undeclared.length > MAX_UNDECLARED) {
      throw invalid(`An object has more than ${MAX_UNDECLARED} properties that its type does not declare.`);
    }
  }
  return undeclared;
}

function invalid(message: string): SvcError {
  return new SvcError('arguments_invalid', message);
}
