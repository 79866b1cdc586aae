import type { ToolEntry } from '../catalog/model.ts';
import type { Outcome } from '../endpoint/runtime.ts';
import { ERRORS, type SvcError, toPublicText } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { Era } from './era.ts';
import { isObject, isWrapped } from './wire.ts';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** Where a cut result says so to programs; `structuredContent` stays what `outputSchema` declares. */
export const TRUNCATED_META_KEY = 'svc-kit/truncated';

const text = (value: string): TextBlock => ({ type: 'text', text: value });

/** What a call answered, as a `tools/call` result of the era. */
export function toCallResult(entry: ToolEntry, outcome: Outcome, era: Era) {
  const { value, truncated } = outcome;
  const structuredContent = toStructured(entry, value, era);
  if (truncated === null) return { content: [text(outcome.text)], structuredContent };
  return {
    content: [text(outcome.text), text(`Truncated (${truncated.reason}). ${truncated.hint}`)],
    structuredContent,
    _meta: { [TRUNCATED_META_KEY]: { ...truncated } },
  };
}

function toStructured(entry: ToolEntry, value: JsonValue, era: Era): unknown {
  if (era === 'modern') return value;
  return isWrapped(entry, era) || !isObject(value) ? { result: value } : value;
}

/** A failed call: its public text and, where that hides the cause, the id under which the log has it. */
export function toErrorResult(error: SvcError, requestId: string) {
  const id = ERRORS[error.code].shown ? '' : ` (error id ${requestId})`;
  return { content: [text(`${toPublicText(error)}${id}`)], isError: true };
}
