import { isSame } from '../types/canonical.ts';
import { type Budget, TEXT_PER_STEP } from './budget.ts';
import { templateError } from './failure.ts';

const ITEMS_PER_STEP = 16;

/** What a template computes with: JSON, what is not there, functions, and `namespace()`. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | { readonly [key: string]: Value }
  | Callable
  | Namespace;

/** The one value a template can change. */
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

/** The argument at a position, or of a name. */
export function argument(call: TemplateCall, index: number, name: string): Value {
  return index < call.positional.length ? call.positional[index] : call.named.get(name);
}

export function isTemplateList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isDict(value: Value): value is { readonly [key: string]: Value } {
  return typeof value === 'object' && value !== null && !isTemplateList(value) && !isNamespace(value);
}

export function isNamespace(value: Value): value is Namespace {
  return value instanceof Map;
}

/** Python's idea of truth: empty lists, dictionaries and texts are false. */
export function isTrue(value: Value): boolean {
  if (isTemplateList(value)) return value.length > 0;
  return isDict(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** A value as the template shows it: nothing for null, JSON for lists and dictionaries. */
export function toTemplateText(value: Value): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'function') throw templateError('a function cannot be shown; call it');
  return typeof value === 'object' ? toJson(value) : String(value);
}

/** A value as JSON text. */
export function toJson(value: Value, indent = 0): string {
  return (
    JSON.stringify(
      value ?? null,
      (_, item: Value) => {
        if (typeof item === 'function') throw templateError('a function cannot be shown; call it');
        return isNamespace(item) ? Object.fromEntries(item) : (item ?? null);
      },
      indent,
    ) ?? 'null'
  );
}

/** Equality by value; nothing is equal to a value of another type. */
export function isEqual(left: Value, right: Value, budget: Budget): boolean {
  if (left === right) return true;
  if (!(isTemplateList(left) && isTemplateList(right)) && !(isDict(left) && isDict(right))) return false;
  const [one, other] = [toJson(left), toJson(right)];
  budget.step((4 * (one.length + other.length)) / TEXT_PER_STEP);
  return isSame(JSON.parse(one), JSON.parse(other));
}

/** How many steps it takes to go through a value. */
export function weigh(value: Value): number {
  if (typeof value === 'string') return value.length / TEXT_PER_STEP;
  return isTemplateList(value) ? value.length / ITEMS_PER_STEP : 0;
}

/** Order of two numbers or two texts. */
export function compare(left: Value, right: Value): number {
  const numbers = typeof left !== 'string' && typeof right !== 'string';
  const [one, other] = numbers ? [toNumber(left), toNumber(right)] : [left, right];
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one !== 'string' || typeof other !== 'string') {
    throw templateError(`${kindNameOf(left)} and ${kindNameOf(right)} have no order`);
  }
  return one < other ? -1 : Number(one > other);
}

/** A number or a boolean as a number. */
export function toNumber(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  throw templateError(`${kindNameOf(value)} is not a number`);
}

/** What can be looped over. */
export function toItems(value: Value): readonly Value[] {
  if (value === undefined || value === null) return [];
  if (isTemplateList(value)) return value;
  if (typeof value === 'string') return [...value];
  if (isDict(value)) return Object.keys(value);
  throw templateError(`${kindNameOf(value)} cannot be looped over`);
}

/** What a value is, in words that give nothing of it away. */
export function kindNameOf(value: Value): string {
  if (value === undefined) return 'something undefined';
  if (value === null) return 'null';
  if (isTemplateList(value)) return 'a list';
  if (typeof value === 'object') return isNamespace(value) ? 'a namespace' : 'an object';
  return `a ${typeof value}`;
}
