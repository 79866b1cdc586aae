import type { JsonObject } from '../json.ts';
import type { PromptMessage } from '../project/model.ts';
import { compileTemplate, renderTemplate } from './render.ts';

/** The content of a rendered message: a text, or the URI of a resource. */
export type RenderedContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'resource_link'; readonly uri: string };

/** A message of a rendered prompt. */
export interface RenderedMessage {
  readonly role: 'user' | 'assistant';
  readonly content: RenderedContent;
}

/**
 * Renders the messages of a prompt with some values. MCP knows the roles user and assistant, so a system message becomes
 * one of the user. The text of a message of type `resource` is a URI; we remove the blanks around it.
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

/** Renders one template with some values. */
export function renderText(template: string, values: JsonObject): string {
  return renderTemplate(compileTemplate(template), values);
}
