import * as v from 'valibot';
import { isList, isObject, type JsonObject, type JsonValue } from '../json.ts';
import { nearestName } from './nearest.ts';
import type { Work } from './validate.ts';

/** A compiled type. */
export type Schema = v.GenericSchema<unknown, JsonValue>;

/** Receives a violation and its path below the value. */
export type Report = (message: string, path?: readonly v.IssuePathItem[]) => void;

/** Checks the children of a value and returns the value with converted children. */
export type Walk = (value: JsonValue, report: Report) => JsonValue;

/** A property of an object type, compiled. */
export interface PropertySchema {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly default: JsonValue | undefined;
  /** Whether an optional property may be null. True for results, because SQL yields NULL for missing values. */
  readonly nullWhenOptional: boolean;
}

/** The properties of an object type. */
export interface ObjectShape {
  readonly properties: readonly PropertySchema[];
  readonly open: boolean;
  /** The schema of undeclared properties; null: they stay as they are. */
  readonly undeclared: Schema | null;
  /** The word for an unknown name in messages. */
  readonly noun: 'parameter' | 'property';
}

/** The number of wrong items of a list that are reported. */
const MAX_WRONG = 10;

/** Checks each item of a list. */
export function createArrayWalk(item: Schema): Walk {
  return (value, report) => {
    const converted: JsonValue[] = [];
    let wrong = 0;
    for (const [index, element] of (isList(value) ? value : []).entries()) {
      const at: v.IssuePathItem = { type: 'array', origin: 'value', input: [], key: index, value: element };
      const result = runChild(item, element, at, report);
      if (result === undefined) wrong += 1;
      else converted.push(result);
      if (wrong >= MAX_WRONG) break;
    }
    return converted;
  };
}

/** Checks each declared property, fills in defaults and reports unknown names. */
export function createObjectWalk(shape: ObjectShape, work: Work): Walk {
  const names = shape.properties.map(({ name }) => name);
  const known = new Set(names);
  return (value, report) => {
    const fields = isObject(value) ? value : {};
    const converted: { [name: string]: JsonValue } = {};
    for (const property of shape.properties) {
      const result = runProperty(property, fields, report);
      if (result !== undefined) setField(converted, property.name, result);
    }
    const others = Object.keys(fields).filter((name) => !known.has(name));
    if (shape.open) {
      for (const name of others) {
        const value = fields[name] ?? null;
        const at: v.IssuePathItem = { type: 'object', origin: 'value', input: {}, key: name, value };
        const result = shape.undeclared ? runChild(shape.undeclared, value, at, report) : value;
        if (result !== undefined) setField(converted, name, result);
      }
    } else {
      for (const name of others.slice(0, MAX_WRONG)) {
        report(`is not a ${shape.noun} here${hintOf(name, names, work)}`, [
          { type: 'object', origin: 'key', input: {}, key: name, value: undefined },
        ]);
      }
    }
    return converted;
  };
}

function runProperty(property: PropertySchema, fields: JsonObject, report: Report): JsonValue | undefined {
  const { name, schema } = property;
  const given = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const value = given === undefined ? property.default : given;
  const at: v.IssuePathItem = { type: 'object', origin: 'value', input: {}, key: name, value };
  if (value === undefined) {
    if (property.required) report('is required', [at]);
    return undefined;
  }
  if (value === null && property.nullWhenOptional && !property.required) return null;
  return runChild(schema, value, at, report);
}

function runChild(
  schema: Schema,
  value: JsonValue,
  at: v.IssuePathItem,
  report: Report,
): JsonValue | undefined {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  for (const issue of result.issues) report(issue.message, [at, ...(issue.path ?? [])]);
  return undefined;
}

/** Names the closest known name, or all. A search takes time, so names beyond those that are reported get no hint. */
function hintOf(name: string, names: readonly string[], work: Work): string {
  if (work.hints <= 0) return '';
  work.hints -= 1;
  const nearest = nearestName(name, names);
  return `; ${nearest === null ? knownText(names) : `did you mean ${JSON.stringify(nearest)}?`}`;
}

function knownText(names: readonly string[]): string {
  return names.length === 0 ? 'there are none' : `known: ${names.slice(0, 20).join(', ')}`;
}

/** Defines the field instead of assigning it, because a column may be called `__proto__`. */
function setField(target: { [name: string]: JsonValue }, name: string, value: JsonValue): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
