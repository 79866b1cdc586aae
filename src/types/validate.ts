import * as v from 'valibot';
import { SvcError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { boundsIssue } from './bounds.ts';
import { type Mode, toArgumentsSchema, toSchema } from './compile.ts';
import type { Parameter, TypeNode } from './node.ts';

export type { Mode } from './compile.ts';

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

const MAX_ISSUES = 50;

/**
 * Compiles a type to a validator. `input` converts a client's value
 * if its meaning is clear; `output` accepts exact types only.
 */
export function createValidator(node: TypeNode, mode: Mode): Validator {
  const schema = toSchema(node, mode);
  return (value) => {
    const problem = mode === 'input' ? boundsIssue(value) : null;
    return problem === null ? run(schema, value) : { ok: false, issues: [{ path: '', message: problem }] };
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
  const schema = toArgumentsSchema(parameters);
  return (args) => {
    const problem = boundsIssue(args);
    if (problem !== null) return { ok: false, issues: [{ path: '', message: problem }] };
    const result = run(schema, args ?? {});
    return result.ok ? { ok: true, values: toObject(result.value) } : result;
  };
}

function run(schema: v.GenericSchema<unknown, JsonValue>, value: unknown): Validation {
  const result = v.safeParse(schema, value);
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

function toObject(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  throw new SvcError('internal', 'Arguments are an object once they are checked.');
}
