import { findResource } from '../catalog/find.ts';
import type { PromptEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import { SvcError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { readResource } from './execute.ts';
import { performCall } from './pipeline.ts';
import type { Outcome, Runtime } from './runtime.ts';

/** What a message of a prompt holds. */
export type PromptContent =
  | { readonly type: 'text'; readonly text: string }
  /** A resource of somebody else. */
  | { readonly type: 'resource_link'; readonly uri: string }
  /** A resource of this project, as its reader may see it. */
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly mimeType: string;
      readonly outcome: Outcome;
    };

/** A message of a prompt. */
export interface PromptPart {
  readonly role: 'user' | 'assistant';
  readonly content: PromptContent;
}

/** What a prompt answered. */
export interface PromptOutcome {
  readonly messages: readonly PromptPart[];
}

/** One call of a prompt; arguments may be text, as MCP sends them. Output policies judge `[{role, type, prompt}]`. */
export function getPrompt(
  runtime: Runtime,
  entry: PromptEntry,
  args: JsonObject,
  context: RequestContext,
): Promise<PromptOutcome> {
  return performCall(
    { runtime, entry, args, context },
    {
      run: async (values) => ({ value: await toPlain(entry, values) }),
      finish: async (_, value) => {
        enforceSize(entry, value);
        const parts = (Array.isArray(value) ? value : []).flatMap(toPart);
        return { messages: await Promise.all(parts.map((part) => embed(runtime, part, context))) };
      },
      resultOf: ({ messages }) => messages.map(toRecorded),
    },
  );
}

/** The form that policies and tests know. Templates are loaded by the first call that renders one. */
async function toPlain({ messages }: PromptEntry, values: JsonObject): Promise<readonly JsonObject[]> {
  const { renderPrompt } = await import('../template/prompt.ts');
  return renderPrompt(messages, values).map(({ role, content }) =>
    content.type === 'text'
      ? { role, type: 'text', prompt: content.text }
      : { role, type: 'resource', prompt: content.uri },
  );
}

/** A message whose text a policy took away is none. */
function toPart(message: JsonValue): PromptPart[] {
  if (!isObject(message) || typeof message.prompt !== 'string') return [];
  const { prompt } = message;
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const content =
    message.type === 'resource'
      ? ({ type: 'resource_link', uri: prompt } as const)
      : ({ type: 'text', text: prompt } as const);
  return [{ role, content }];
}

/** What this project serves itself goes along, under the same policies as when it is read. */
async function embed(runtime: Runtime, part: PromptPart, context: RequestContext): Promise<PromptPart> {
  const { role, content } = part;
  if (content.type !== 'resource_link') return part;
  const { uri } = content;
  const found = findResource(runtime.catalog, uri);
  if (found === null) return part;
  const outcome = await readResource(runtime, found.entry, found.values, withoutAsking(context));
  return { role, content: { type: 'resource', uri, mimeType: found.entry.mimeType, outcome } };
}

/** An answer to the prompt's questions is none to those of a resource in it. */
function withoutAsking(context: RequestContext): RequestContext {
  if (context.elicitation === undefined) return context;
  const { elicitation: _, ...rest } = context;
  return rest;
}

function enforceSize({ limits }: PromptEntry, value: JsonValue): void {
  if (new TextEncoder().encode(JSON.stringify(value)).length <= limits.bytes) return;
  throw new SvcError('result_too_large', `The prompt is larger than the ${limits.bytes} bytes it may have.`);
}

function toRecorded({ role, content }: PromptPart): JsonObject {
  return content.type === 'text' ? { role, ...content } : { role, type: content.type, uri: content.uri };
}
