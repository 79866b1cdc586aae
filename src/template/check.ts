import { nearestName } from '../types/nearest.ts';
import { FILTER_NAMES } from './filters.ts';
import { type UnknownName, unknownNames } from './names.ts';
import { parseTemplate, type TemplateIssue } from './parse.ts';
import { TEST_NAMES } from './tests.ts';

/** Finds faults of a template before it is rendered: wrong syntax, and names that nothing provides. Never throws. */
export function checkTemplate(text: string, declared: readonly string[]): readonly TemplateIssue[] {
  const parsed = parseTemplate(text);
  if ('issue' in parsed) return [parsed.issue];
  const unknown = unknownNames(parsed.program, declared);
  const first = new Map(unknown.map((each) => [`${each.kind} ${each.name}`, each]));
  return [...first.values()].map((each) => toIssue(each, text, declared));
}

function toIssue(unknown: UnknownName, text: string, declared: readonly string[]): TemplateIssue {
  const offset = offsetOf(unknown.name, text);
  return { ...explain(unknown, declared), ...(offset === null ? {} : { offset }) };
}

function explain({ kind, name }: UnknownName, declared: readonly string[]): { message: string; fix: string } {
  switch (kind) {
    case 'variable':
      return {
        message: `The template uses "${name}", which is not a parameter.`,
        fix: suggest(name, declared) ?? `Declare "${name}" under parameters, or set it in the template.`,
      };
    case 'filter':
      return {
        message: `There is no filter "${name}".`,
        fix: suggest(name, FILTER_NAMES) ?? `Use one of: ${FILTER_NAMES.join(', ')}.`,
      };
    case 'test':
      return {
        message: `There is no test "is ${name}".`,
        fix: suggest(name, TEST_NAMES) ?? `Use one of: ${TEST_NAMES.join(', ')}.`,
      };
    case 'form':
      return {
        message: `The template has ${name}.`,
        fix: 'Remove it, or put parentheses around the filtered value.',
      };
  }
}

function suggest(name: string, known: readonly string[]): string | null {
  const nearest = nearestName(name, known);
  return nearest === null ? null : `Did you mean "${nearest}"?`;
}

/** Finds where a name first occurs inside a tag. */
function offsetOf(name: string, text: string): number | null {
  if (!/^\w+$/.test(name)) return null;
  for (const tag of text.matchAll(/\{[{%][\s\S]*?[}%]\}/g)) {
    const word = new RegExp(`(?<![\\w.'"])${name}(?!\\w)`).exec(tag[0]);
    if (word !== null) return tag.index + word.index;
  }
  return null;
}
