import type { ToolEntry } from '../catalog/model.ts';
import type { Outcome, Truncation } from '../endpoint/runtime.ts';
import type { SvcError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { Era } from './era.ts';
import { failureText } from './failure.ts';
import { isObject, isWrapped } from './wire.ts';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface MediaBlock {
  readonly type: 'image' | 'audio';
  readonly data: string;
  readonly mimeType: string;
}

/** Where a cut result says so to programs; `structuredContent` stays what `outputSchema` declares. */
export const TRUNCATED_META_KEY = 'svc-kit/truncated';

/** How a cut result says so to people and models. */
export function truncationText({ reason, hint }: Truncation): string {
  return `Truncated (${reason}). ${hint}`;
}

const text = (value: string): TextBlock => ({ type: 'text', text: value });

/** What a call answered, as a `tools/call` result of the era. */
export function toCallResult(entry: ToolEntry, outcome: Outcome, era: Era) {
  const { value, truncated } = outcome;
  const media = outcome.binary ? toMedia(entry.mimeType ?? '', String(value)) : null;
  if (media !== null) return { content: [media] };
  const structuredContent = toStructured(entry, value, era);
  if (truncated === null) return { content: [text(outcome.text)], structuredContent };
  return {
    content: [text(outcome.text), text(truncationText(truncated))],
    structuredContent,
    _meta: { [TRUNCATED_META_KEY]: { ...truncated } },
  };
}

/** A picture or a sound as a content block; null for any other media type. */
export function toMedia(mimeType: string, data: string): MediaBlock | null {
  const type = mimeType.split('/')[0];
  return type === 'image' || type === 'audio' ? { type, data, mimeType } : null;
}

function toStructured(entry: ToolEntry, value: JsonValue, era: Era): unknown {
  if (era === 'modern') return value;
  return isWrapped(entry, era) || !isObject(value) ? { result: value } : value;
}

/** A failed call. */
export function toErrorResult(error: SvcError, requestId: string) {
  return { content: [text(failureText(error, requestId))], isError: true };
}
