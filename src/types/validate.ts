import * as v from 'valibot';
import { SvcError } from '../errors.ts';
import { isList, isObject, type JsonObject, type JsonValue, own } from '../json.ts';
import { boundsIssue, COERCE, EXACT, inexactIssue } from './coerce.ts';
import { constraintsOf } from './constraints.ts';
import {
  createArrayWalk,
  createObjectWalk,
  type ObjectShape,
  type Report,
  type Schema,
  type Walk,
} from './nested.ts';
import { acceptsNull, hasDefault, type Parameter, type TypeNode } from './node.ts';
import { createPatternWork, MAX_WORK, type PatternWork } from './pattern.ts';

/** The work that the current validation of a validator may still take. A validator checks one value after the other. */
export interface Work {
  readonly patterns: PatternWork;
  /** The number of unknown names that get a hint. */
  hints: number;
}

/** The most violations that one validation reports. */
const MAX_ISSUES = 50;

/** One violation and its path. It never contains the value. */
export interface Issue {
  /** For example `filters.tags[2]`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

/** The converted value, or every violation. */
export type Validation =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** The arguments of a call with defaults filled in, or every violation. */
export type ParsedArguments =
  | { readonly ok: true; readonly values: JsonObject }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export type Validator = (value: unknown) => Validation;

/** The direction of a value: `input` comes from a client, `output` from the database. */
export type Mode = 'input' | 'output';

/** The deepest type that compiles. A deeper one is a cycle in the YAML. */
export const MAX_TYPE_DEPTH = 32;

/**
 * Compiles a type to a validator. `input` converts a client's value
 * if its meaning is clear; `output` accepts exact types only.
 */
export function createValidator(node: TypeNode, mode: Mode): Validator {
  const work: Work = { patterns: createPatternWork(), hints: MAX_ISSUES };
  const schema = toSchema(node, { mode, work });
  return (value) => {
    const problem = mode === 'input' ? boundsIssue(value) : null;
    return problem === null
      ? run(schema, work, value)
      : { ok: false, issues: [{ path: '', message: problem }] };
  };
}

const validators: Readonly<Record<Mode, WeakMap<TypeNode, Validator>>> = {
  input: new WeakMap(),
  output: new WeakMap(),
};

/** The validator of a node, compiled at its first use and cached with the node. */
export function validatorOf(node: TypeNode, mode: Mode): Validator {
  const known = validators[mode].get(node);
  if (known) return known;
  const validator = createValidator(node, mode);
  validators[mode].set(node, validator);
  return validator;
}

/** Compiles a parameter list to a parser for the arguments of a call. */
export function createArgumentsParser(parameters: readonly Parameter[]): (args: unknown) => ParsedArguments {
  const work: Work = { patterns: createPatternWork(), hints: MAX_ISSUES };
  const schema = toArgumentsSchema(parameters, { mode: 'input', work });
  return (args) => {
    const problem = boundsIssue(args);
    if (problem !== null) return { ok: false, issues: [{ path: '', message: problem }] };
    const result = run(schema, work, args ?? {});
    if (!result.ok) return result;
    if (isObject(result.value)) return { ok: true, values: result.value };
    throw new SvcError('internal', 'Arguments are an object once they are checked.');
  };
}

function run(schema: Schema, work: Work, value: unknown): Validation {
  const result = v.safeParse(schema, value);
  work.patterns.left = MAX_WORK;
  work.patterns.states.clear();
  work.hints = MAX_ISSUES;
  if (result.success) return { ok: true, value: result.output };
  const first = result.issues.slice(0, MAX_ISSUES);
  return { ok: false, issues: first.map(({ path, message }) => ({ path: pathText(path), message })) };
}

function pathText(path: readonly v.IssuePathItem[] | undefined): string {
  return (path ?? []).reduce((text, { key }) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key).slice(0, 64);
    if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** The parts that all schemas of a validator share. */
interface Shared {
  readonly mode: Mode;
  readonly work: Work;
}

/** Compiles a type node and all nodes below it. Throws project_invalid for a type nested too deep. */
function toSchema(node: TypeNode, shared: Shared, depth = 1): Schema {
  if (depth > MAX_TYPE_DEPTH) {
    throw new SvcError('project_invalid', `A type is nested deeper than ${MAX_TYPE_DEPTH} levels.`);
  }
  const convert = (shared.mode === 'input' ? COERCE : EXACT)[node.type];
  const constraints = constraintsOf(node, shared.work);
  const walk = walkOf(node, shared, depth);
  const schema = toStep((given, report) => {
    const converted = convert(given);
    if ('problem' in converted) {
      report(converted.problem);
      return null;
    }
    let wrong = false;
    const whole = walk?.(converted.value, (message, path) => {
      wrong = true;
      report(message, path);
    });
    // Constraints see converted items ("5" is 5). If an item cannot be converted, they see the items as sent.
    const value = wrong || whole === undefined ? converted.value : whole;
    for (const constraint of constraints) {
      const problem = constraint(value);
      if (problem !== null) report(problem);
    }
    return value;
  });
  return acceptsNull(node) ? v.nullable(schema) : schema;
}

/** Compiles a parameter list to an object that accepts only the declared names. */
function toArgumentsSchema(parameters: readonly Parameter[], shared: Shared): Schema {
  const properties = parameters.map((parameter) => ({
    name: parameter.name,
    schema: toSchema(parameter, shared),
    required: !hasDefault(parameter),
    default: parameter.default,
    nullWhenOptional: false,
  }));
  const walk = createObjectWalk(
    { properties, open: false, undeclared: null, noun: 'parameter' },
    shared.work,
  );
  return toStep((value, report) => {
    if (isObject(value)) return walk(value, report);
    report('the arguments must be an object');
    return null;
  });
}

function toStep(run: (value: unknown, report: Report) => JsonValue): Schema {
  return v.pipe(
    v.unknown(),
    v.rawTransform<unknown, JsonValue>(({ dataset, addIssue }) =>
      run(dataset.value, (message, path) => {
        const [first, ...rest] = path ?? [];
        addIssue(first ? { message, path: [first, ...rest] } : { message });
      }),
    ),
  );
}

function walkOf(node: TypeNode, shared: Shared, depth: number): Walk | null {
  if (node.type === 'array') {
    const items = node.items ? toSchema(node.items, shared, depth + 1) : undeclaredOf(shared.mode);
    return items && createArrayWalk(items);
  }
  return node.type === 'object' ? createObjectWalk(shapeOf(node, shared, depth), shared.work) : null;
}

/** The schema of a client's value without a declared type, which keeps its digits; null for results, which are exact. */
function undeclaredOf(mode: Mode): Schema | null {
  return mode === 'output' ? null : EXACT_NUMBERS;
}

function shapeOf(node: TypeNode, shared: Shared, depth: number): ObjectShape {
  const { mode } = shared;
  const { properties = {}, required = [], additionalProperties: open = true } = node;
  const declared = Object.entries(properties).map(([name, property]) => ({
    name,
    schema: toSchema(property, shared, depth + 1),
    required: required.includes(name),
    default: mode === 'input' ? property.default : undefined,
    nullWhenOptional: mode === 'output',
  }));
  const undeclared = required
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => ({
      name,
      schema: untyped(open),
      required: true,
      default: undefined,
      nullWhenOptional: false,
    }));
  return {
    properties: [...declared, ...undeclared],
    open,
    undeclared: undeclaredOf(mode),
    noun: 'property',
  };
}

/** The schema of a property that is required but not declared: any value, or none if the object is closed. */
function untyped(open: boolean): Schema {
  return toStep((value, report) => {
    if (!open) report('is required but not declared');
    return value as JsonValue;
  });
}

const EXACT_NUMBERS = toStep((value, report) => {
  const problem = inexactIssue(value as JsonValue);
  if (problem !== null) report(problem);
  return value as JsonValue;
});

/**
 * Checks a value that an author wrote in YAML as if a client sent it, and reports numbers and booleans in place of text: YAML
 * reads `02134` as 2134 and `1.10` as 1.1, so the text would be another one. The seconds of a `timestamp` are a number.
 */
export function checkWritten(node: TypeNode, written: JsonValue): readonly Issue[] {
  const checked = validatorOf(node, 'input')(written);
  return checked.ok ? unquotedParts(node, written, { converted: checked.value, path: '' }) : checked.issues;
}

interface Converted {
  readonly converted: JsonValue | undefined;
  readonly path: string;
}

function unquotedParts(
  { format, items, properties = {} }: TypeNode,
  written: JsonValue,
  { converted, path }: Converted,
): readonly Issue[] {
  if (typeof converted === 'string' && (typeof written === 'number' || typeof written === 'boolean')) {
    if (format === 'timestamp') return [];
    const kind = typeof written === 'number' ? 'a number' : `the word ${written}`;
    return [{ path, message: `must be text, not ${kind}: put it in quotes` }];
  }
  if (items && isList(written) && isList(converted)) {
    return written.flatMap((item, index) =>
      unquotedParts(items, item, { converted: converted[index], path: `${path}[${index}]` }),
    );
  }
  if (!isObject(written) || !isObject(converted)) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const item = own(written, name);
    const below = { converted: own(converted, name), path: path === '' ? name : `${path}.${name}` };
    return item === undefined ? [] : unquotedParts(property, item, below);
  });
}
