import { SvcError } from '../errors.ts';
import type { Budget } from './budget.ts';

/** A value that a template computes with: JSON, undefined, a function or a `namespace()`. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | Dict
  | Callable
  | Namespace;

/** An object of JSON. Templates never change one. */
export type Dict = { readonly [key: string]: Value };

/** The only value that a template can change. */
export type Namespace = Map<string, Value>;

/** A macro, a method or a global function. */
export type Callable = (call: TemplateCall) => Value;

/** The arguments of a call. */
export interface TemplateCall {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
  /** The body of a call block. */
  readonly caller?: Callable;
}

/** Returns the argument at a position, or else the one of a name. */
export function argument(call: TemplateCall, index: number, name: string): Value {
  return index < call.positional.length ? call.positional[index] : call.named.get(name);
}

/** Tells whether a value is a list. */
export function isTemplateList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Tells whether a value is an object of JSON. */
export function isDict(value: Value): value is Dict {
  return typeof value === 'object' && value !== null && !isTemplateList(value) && !isNamespace(value);
}

/** Tells whether a value is a `namespace()`. */
export function isNamespace(value: Value): value is Namespace {
  return value instanceof Map;
}

const sizes = new WeakMap<Dict, number>();

/** Returns the number of keys of an object. It counts them once, because JavaScript goes through all of them. */
export function sizeOf(dict: Dict): number {
  const size = sizes.get(dict) ?? Object.keys(dict).length;
  sizes.set(dict, size);
  return size;
}

/** Tells whether a value counts as true. As in Python, empty lists, objects and texts do not. */
export function isTrue(value: Value): boolean {
  if (isTemplateList(value)) return value.length > 0;
  return isDict(value) ? sizeOf(value) > 0 : Boolean(value);
}

/** Pays for going through a value once, without what its items hold. */
export function payFor(value: Value, budget: Budget): void {
  if (typeof value === 'string') budget.read(value.length);
  else if (isTemplateList(value)) budget.items(value.length);
  else if (isDict(value)) budget.keys(sizeOf(value));
}

/** Pays for a value that was computed. Throws `result_too_large` for a text that is too long. */
export function payForResult(value: Value, budget: Budget): Value {
  if (typeof value === 'string') budget.text(value.length);
  else payFor(value, budget);
  return value;
}

/** Returns a value as the template shows it: nothing for null, JSON for lists and objects. */
export function toTemplateText(value: Value, budget: Budget): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'function') throw templateError('a function cannot be shown; call it');
  return typeof value === 'object' ? toJson(value, budget) : String(value);
}

/** Returns a value as JSON text, and pays for it. */
export function toJson(value: Value, budget: Budget, indent = 0): string {
  payForJson(value, budget, indent);
  return (
    JSON.stringify(
      value ?? null,
      (_, item: Value) => (isNamespace(item) ? Object.fromEntries(item) : (item ?? null)),
      indent,
    ) ?? 'null'
  );
}

/**
 * Pays for a JSON text before it is made. A list that holds one list twice, which holds one list twice, and so on, is
 * small in memory and long as text, so we go through every occurrence.
 */
function payForJson(value: Value, budget: Budget, indent: number): void {
  let length = 0;
  const visit = (item: Value, blanks: number): void => {
    if (typeof item === 'function') throw templateError('a function cannot be shown; call it');
    length += blanks + (typeof item === 'string' ? item.length : 1);
    budget.items(1);
    if (isTemplateList(item)) for (const each of item) visit(each, blanks + indent);
    else if (typeof item === 'object' && item !== null) {
      for (const [key, each] of isNamespace(item) ? item : Object.entries(item)) {
        length += key.length;
        visit(each, blanks + indent);
      }
    }
  };
  visit(value, 0);
  budget.text(length);
}

/** Returns a number or a boolean as a number. */
export function toNumber(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  throw templateError(`${kindNameOf(value)} is not a number`);
}

/** Returns the items that a loop goes through: of a list, the characters of a text or the keys of an object. */
export function toItems(value: Value): readonly Value[] {
  if (value === undefined || value === null) return [];
  if (isTemplateList(value)) return value;
  if (typeof value === 'string') return [...value];
  if (isDict(value)) return Object.keys(value);
  throw templateError(`${kindNameOf(value)} cannot be looped over`);
}

/** Names the type of a value for an error, without repeating the value. */
export function kindNameOf(value: Value): string {
  if (value === undefined) return 'an undefined value';
  if (value === null) return 'null';
  if (isTemplateList(value)) return 'a list';
  if (typeof value === 'object') return isNamespace(value) ? 'a namespace' : 'an object';
  return `a ${typeof value}`;
}

/** The error of a template that fails while it is rendered. `why` must not repeat a value. */
export function templateError(why: string): SvcError {
  return new SvcError('internal', `The template cannot be rendered: ${why}.`);
}
