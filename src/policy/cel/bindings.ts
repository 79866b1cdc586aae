import { type CelInput, celError, celList, celMap } from '@bufbuild/cel';
import type { User } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import { isInexact, isList, type JsonObject, type JsonValue } from '../../json.ts';
import type { TypeNode } from '../../types/node.ts';
import type { PolicyScope } from '../compile.ts';
import { propertyOf } from '../fields.ts';
import { toPolicyUser } from '../user.ts';

/** Values by name. Each is converted when a condition first reads it. The object has no prototype. */
export type Bindings = { readonly [name: string]: CelInput };

type Binding = readonly [name: string, read: () => CelInput | undefined];

const MAX_ITEMS = 10_000;
const MAX_DEPTH = 64;

/** The names of input conditions: the arguments, then `user`, which no parameter can replace. */
export function toInputBindings(
  scope: PolicyScope,
  args: JsonObject,
  user: User | null,
  read = toPolicyUser,
): Bindings {
  const values = scope.parameters.map((node): Binding => {
    const value = Object.hasOwn(args, node.name) ? args[node.name] : undefined;
    return [node.name, () => (value === undefined ? undefined : toPolicyValue(value, node))];
  });
  return bind([...values, userBinding(read(user))]);
}

/** The names of output conditions: `response`, the unedited result, and `user`. */
export function toOutputBindings(
  scope: PolicyScope,
  value: JsonValue,
  user: User | null,
  read = toPolicyUser,
): Bindings {
  const response: Binding = ['response', () => toPolicyValue(value, scope.returns ?? undefined)];
  return bind([response, userBinding(read(user))]);
}

function userBinding(user: JsonObject): Binding {
  return ['user', () => toPolicyValue(withoutInexact(user, 0), undefined)];
}

/** Stands for a claim that no condition can read. */
const INEXACT: JsonObject = {};

/** The library takes no error as a value, so it throws this one when a condition reads it. */
const UNREADABLE = celError('a claim is a whole number beyond 2^53, which JSON may have changed');

/**
 * Replaces whole numbers beyond 2^53. JSON has no integers, so such a claim may be another number than the provider sent:
 * a caller could pass that one, or a rule could miss the number that it denies. A condition that reads it fails.
 */
function withoutInexact(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'number') return isInexact(value) ? INEXACT : value;
  // A deeper value is refused.
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (isList(value)) return value.map((item) => withoutInexact(item, depth + 1));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutInexact(item, depth + 1)]));
}

function bind(entries: readonly Binding[]): Bindings {
  const bindings: { [name: string]: CelInput } = Object.create(null);
  for (const [name, read] of entries) {
    let known: { readonly value: CelInput | undefined } | null = null;
    const get = (): CelInput | undefined => {
      known ??= { value: read() };
      return known.value;
    };
    Object.defineProperty(bindings, name, { get, configurable: true });
  }
  return bindings;
}

/**
 * Converts a JSON value for conditions: declared integers (also as digits) are ints, other numbers are
 * doubles, undefined is omitted. Throws for a value that is too deep or too large, which denies the call.
 */
function toPolicyValue(value: JsonValue, node: TypeNode | undefined, depth = 0): CelInput {
  if (depth > MAX_DEPTH)
    throw new SvcError('internal', `a value is nested more than ${MAX_DEPTH} levels deep`);
  if (value === null || typeof value === 'boolean') return value;
  if (value === INEXACT) return UNREADABLE as unknown as CelInput;
  if (typeof value === 'number') return toNumber(value, node);
  if (typeof value === 'string') return toText(value, node);
  return isList(value) ? toList(value, node, depth) : toMap(value, node, depth);
}

function toNumber(value: number, node: TypeNode | undefined): CelInput {
  return node?.type === 'integer' && Number.isInteger(value) ? BigInt(value) : value;
}

/** Integers beyond 2^53 and long decimals are texts with every digit. */
function toText(value: string, node: TypeNode | undefined): CelInput {
  if (node?.type === 'integer' && /^-?\d{1,40}$/.test(value)) return BigInt(value);
  if (node?.type === 'number' && /^-?\d{1,40}(\.\d{1,40})?$/.test(value)) return Number(value);
  return value;
}

function toList(value: readonly JsonValue[], node: TypeNode | undefined, depth: number): CelInput {
  if (value.length > MAX_ITEMS) {
    throw new SvcError('internal', `a list has ${value.length} items; conditions see at most ${MAX_ITEMS}`);
  }
  return celList(value.map((item) => toPolicyValue(item, node?.items, depth + 1)));
}

function toMap(
  value: { readonly [key: string]: JsonValue | undefined },
  node: TypeNode | undefined,
  depth: number,
): CelInput {
  const map = new Map<string, CelInput>();
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) map.set(key, toPolicyValue(item, node && propertyOf(node, key), depth + 1));
  }
  return celMap(map);
}
