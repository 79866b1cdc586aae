import type { Outcome } from '../call/runtime.ts';
import { TRUNCATED_META_KEY } from './result.ts';

/** What was read, under the URI that was asked for. */
export interface Reading {
  readonly uri: string;
  readonly mimeType: string;
  readonly outcome: Outcome;
}

/** What was read, as `resources/read` and embedded resources show it. */
export function toContents({ uri, mimeType, outcome }: Reading) {
  const { truncated } = outcome;
  const body = outcome.binary ? { blob: String(outcome.value) } : { text: outcome.text };
  const meta = truncated === null ? {} : { _meta: { [TRUNCATED_META_KEY]: { ...truncated } } };
  return { uri, mimeType, ...body, ...meta };
}
