import * as v from 'valibot';
import { SvcError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { boundsIssue } from './bounds.ts';
import { type Mode, toArgumentsSchema, toSchema } from './compile.ts';
import type { Parameter, TypeNode } from './node.ts';

export type { Mode } from './compile.ts';

/** One problem of a value: where, and what; never the value itself. */
export interface Issue {
  /** `filters.tags[2]`; empty for the value as a whole. */
  readonly path: string;
  readonly message: string;
}

/** A value as its type has it, or everything that is wrong with it. */
export type Validation =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** The values of a call, defaults filled in, or everything that is wrong with its arguments. */
export type ParsedArguments =
  | { readonly ok: true; readonly values: JsonObject }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export type Validator = (value: unknown) => Validation;

const MAX_ISSUES = 50;

/** Compiles a type to its check: `input` takes what a client plainly means, `output` takes exactly the type. */
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

/** The validator of a node, compiled on first use and kept as long as the node. */
export function validatorOf(node: TypeNode, mode: Mode): Validator {
  const known = validators[mode].get(node);
  if (known) return known;
  const validator = createValidator(node, mode);
  validators[mode].set(node, validator);
  return validator;
}

/** Compiles the check of a call's arguments as a whole. */
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
