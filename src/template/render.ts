import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { createBudget, createWriter } from './budget.ts';
import { templateError } from './errors.ts';
import { execute } from './execute.ts';
import type { Node } from './node.ts';
import { parseTemplate } from './parse.ts';
import { createScope } from './scope.ts';

/** A parsed template. */
export interface Template {
  readonly program: Node;
}

const templates = new Map<string, Template>();
const MAX_TEMPLATES = 2000;

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
