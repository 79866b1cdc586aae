import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { PromptMessage } from '../project/model.ts';
import { createBudget, createWriter } from './budget.ts';
import { execute } from './execute.ts';
import type { Node } from './node.ts';
import { parseTemplate } from './parse.ts';
import { createScope } from './scope.ts';
import { templateError } from './value.ts';

/** A parsed template. */
export interface Template {
  readonly program: Node;
}

const templates = new Map<string, Template>();
const MAX_TEMPLATES = 2000;

/** The content of a rendered message: a text, or the URI of a resource. */
type RenderedContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'resource_link'; readonly uri: string };

/** A message of a rendered prompt. */
interface RenderedMessage {
  readonly role: 'user' | 'assistant';
  readonly content: RenderedContent;
}

/** Parses a template and caches it, because a server renders the same few again and again. Throws `project_invalid`. */
export function compileTemplate(text: string): Template {
  const cached = templates.get(text);
  if (cached !== undefined) return cached;
  const parsed = parseTemplate(text);
  if ('issue' in parsed) {
    throw new SvcError('project_invalid', `${parsed.issue.message} ${parsed.issue.fix}`);
  }
  if (templates.size >= MAX_TEMPLATES) templates.clear();
  const template: Template = { program: parsed.program };
  templates.set(text, template);
  return template;
}

/**
 * Renders a template with some values. It escapes nothing and sees nothing but the values. Throws `internal` for a fault
 * of the template, `result_too_large` beyond 1 MiB of text and `deadline_exceeded` beyond half a million steps.
 */
export function renderTemplate({ program }: Template, variables: JsonObject): string {
  const budget = createBudget();
  const writer = createWriter(budget);
  const scope = createScope(variables, budget);
  try {
    execute(program.type === 'Program' ? program.body : [program], scope, writer);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw templateError('it is nested too deep');
    throw thrown;
  }
  return writer.text();
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
