import { type CelInput, celList, celMap } from '@bufbuild/cel';
import { SvcError } from '../../errors.ts';
import { isList, type JsonValue } from '../../json.ts';
import type { TypeNode } from '../../types/node.ts';
import { propertyOf } from '../fields.ts';

const MAX_ITEMS = 10_000;
const MAX_DEPTH = 64;

/**
 * Converts a JSON value for conditions: declared integers (also as digits) are ints, other numbers are
 * doubles, undefined is omitted. Throws for a value that is too deep or too large, which denies the call.
 */
export function toPolicyValue(value: JsonValue, node: TypeNode | undefined, depth = 0): CelInput {
  if (depth > MAX_DEPTH)
    throw new SvcError('internal', `a value is nested more than ${MAX_DEPTH} levels deep`);
  if (value === null || typeof value === 'boolean') return value;
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
