import type { PromptEntry } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { MASK } from '../policy/fields.ts';
import type { Outcome } from './runtime.ts';

/** The content of a prompt's message. */
export type PromptContent =
  | { readonly type: 'text'; readonly text: string }
  /** A resource that this project does not serve. */
  | { readonly type: 'resource_link'; readonly uri: string }
  /** A resource of this project, as the caller may see it. */
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly mimeType: string;
      readonly outcome: Outcome;
    };

/** A message of a prompt. */
export interface ResolvedMessage {
  readonly role: 'user' | 'assistant';
  readonly content: PromptContent;
}

/** The answer of a prompt. */
export interface PromptOutcome {
  readonly messages: readonly ResolvedMessage[];
}

/** Renders a prompt's messages as `[{role, type, prompt}]`, the form that output policies and tests read. */
export async function renderMessages(
  { messages }: PromptEntry,
  values: JsonObject,
): Promise<readonly JsonObject[]> {
  // The first call that renders a template loads the template engine.
  const { renderPrompt } = await import('../template/render.ts');
  return renderPrompt(messages, values).map(({ role, content }) =>
    content.type === 'text'
      ? { role, type: 'text', prompt: content.text }
      : { role, type: 'resource', prompt: content.uri },
  );
}

/** Reads rendered messages back, without those whose text a policy removed or whose address it masked. Throws result_too_large. */
export function toMessages(entry: PromptEntry, value: JsonValue): readonly ResolvedMessage[] {
  enforceSize(entry, value);
  return (Array.isArray(value) ? value : []).flatMap(toMessage);
}

function toMessage(message: JsonValue): ResolvedMessage[] {
  if (!isObject(message) || typeof message.prompt !== 'string') return [];
  const { prompt } = message;
  if (message.type === 'resource' && prompt === MASK) return [];
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const content =
    message.type === 'resource'
      ? ({ type: 'resource_link', uri: prompt } as const)
      : ({ type: 'text', text: prompt } as const);
  return [{ role, content }];
}

function enforceSize({ limits }: PromptEntry, value: JsonValue): void {
  if (new TextEncoder().encode(JSON.stringify(value)).length <= limits.bytes) return;
  throw new SvcError('result_too_large', `The prompt is larger than the ${limits.bytes} bytes it may have.`);
}

/** A message as an audit record shows it: an embedded resource by its URI alone. */
export function toRecordedMessage({ role, content }: ResolvedMessage): JsonObject {
  return content.type === 'text' ? { role, ...content } : { role, type: content.type, uri: content.uri };
}
