import type { JsonObject } from '../json.ts';
import type { PromptMessage } from '../project/model.ts';
import { compileTemplate, renderTemplate } from './render.ts';

/** What a rendered message holds: a text, or the address of a resource. */
export type RenderedContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'resource_link'; readonly uri: string };

/** A message of a rendered prompt. */
export interface RenderedMessage {
  readonly role: 'user' | 'assistant';
  readonly content: RenderedContent;
}

/**
 * A prompt's messages for some values. MCP knows the roles user and assistant, so a system message is delivered as the
 * user's; a message of type `resource` is the address that its text renders to, without the blanks around it.
 */
export function renderPrompt(
  messages: readonly PromptMessage[],
  values: JsonObject,
): readonly RenderedMessage[] {
  return messages.map(({ role, type, prompt }) => {
    const text = renderTemplate(compileTemplate(prompt), values);
    return {
      role: role === 'assistant' ? 'assistant' : 'user',
      content: type === 'resource' ? { type: 'resource_link', uri: text.trim() } : { type: 'text', text },
    };
  });
}

/** One template's text for some values. */
export function renderText(template: string, values: JsonObject): string {
  return renderTemplate(compileTemplate(template), values);
}
