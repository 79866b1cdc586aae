import type { Limits } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { Outcome, Truncation } from './runtime.ts';

const encoder = new TextEncoder();

/**
 * Holds a value to its limits: a list is cut after the last item that fits and says so. Throws result_too_large for
 * any other value.
 */
export function enforceLimits(value: JsonValue, rowsTruncated: boolean, limits: Limits): Outcome {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const truncated = rowsTruncated ? rowTruncation(limits) : null;
  if (fits(text, limits.bytes)) return { value, text, truncated };
  if (!Array.isArray(value)) {
    throw new SvcError(
      'result_too_large',
      `The result is larger than the ${limits.bytes} bytes this endpoint may return.`,
    );
  }
  const items = cutToBytes(value, limits.bytes);
  return { value: items, text: JSON.stringify(items), truncated: byteTruncation(limits, items.length) };
}

/** A UTF-16 unit takes at most three bytes, so most results are settled without encoding them. */
function fits(text: string, bytes: number): boolean {
  if (text.length * 3 <= bytes) return true;
  return text.length <= bytes && encoder.encode(text).length <= bytes;
}

function cutToBytes(items: readonly JsonValue[], bytes: number): readonly JsonValue[] {
  let left = bytes - 2;
  const end = items.findIndex((item) => {
    left -= encoder.encode(JSON.stringify(item)).length + 1;
    return left < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

function rowTruncation(limits: Limits): Truncation {
  return {
    reason: 'rows',
    limit: limits.rows,
    hint: `Only the first ${limits.rows} rows are shown. Narrow the arguments, or ask for less at a time.`,
  };
}

function byteTruncation(limits: Limits, shown: number): Truncation {
  return {
    reason: 'bytes',
    limit: limits.bytes,
    hint: `Only the first ${shown} items are shown: the result is larger than ${limits.bytes} bytes. Narrow the arguments, or ask for less at a time.`,
  };
}
