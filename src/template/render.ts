import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { createBudget, createWriter } from './budget.ts';
import { execute } from './execute.ts';
import { templateError } from './failure.ts';
import type { Node } from './node.ts';
import { parseTemplate } from './parse.ts';
import { createScope } from './scope.ts';

/** A template ready to be rendered. */
export interface Template {
  readonly program: Node;
}

const templates = new Map<string, Template>();
const MAX_TEMPLATES = 2000;

/** A template from its text; kept, because a server renders the same few again and again. Throws project_invalid. */
export function compileTemplate(text: string): Template {
  const known = templates.get(text);
  if (known !== undefined) return known;
  const parsed = parseTemplate(text);
  if ('problem' in parsed) {
    throw new SvcError('project_invalid', `${parsed.problem.message} ${parsed.problem.fix}`);
  }
  if (templates.size >= MAX_TEMPLATES) templates.clear();
  const template: Template = { program: parsed.program };
  templates.set(text, template);
  return template;
}

/**
 * The text of a template for some values. It escapes nothing, sees nothing but the values, and is bounded: 1 MiB of
 * text, half a million steps. Throws internal, result_too_large or deadline_exceeded.
 */
export function renderTemplate({ program }: Template, variables: JsonObject): string {
  const budget = createBudget();
  const writer = createWriter(budget);
  const scope = createScope(variables, budget);
  try {
    execute(program.type === 'Program' ? program.body : [program], scope, writer);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw templateError('it goes too deep');
    throw thrown;
  }
  return writer.text();
}
