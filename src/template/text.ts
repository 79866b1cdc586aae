import type { Budget } from './budget.ts';
import { templateError } from './failure.ts';
import { argument, type TemplateCall, toTemplateText, type Value } from './value.ts';

/** First letter large, the rest small. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

/** Every word with a large first letter; an apostrophe is part of a word. */
export function toTitle(text: string): string {
  return text.replace(/[^-\s({[<]+/g, capitalize);
}

/** Without blanks, or without the given characters, at its ends. */
export function trimText(text: string, characters: Value, side: 'both' | 'start' | 'end'): string {
  const unwanted = toTemplateText(characters);
  const isUnwanted = (at: number): boolean =>
    unwanted === '' ? text.charAt(at).trim() === '' : unwanted.includes(text.charAt(at));
  let start = 0;
  let end = text.length;
  if (side !== 'end') while (start < end && isUnwanted(start)) start += 1;
  if (side !== 'start') while (end > start && isUnwanted(end - 1)) end -= 1;
  return text.slice(start, end);
}

/** `replace(old, new, count)`. */
export function replaceText(text: string, call: TemplateCall, budget: Budget): string {
  const old = toTemplateText(argument(call, 0, 'old'));
  const replacement = toTemplateText(argument(call, 1, 'new'));
  const count = argument(call, 2, 'count');
  if (old === '') throw templateError('replace() needs a text to look for');
  const parts = text.split(old);
  const most = typeof count === 'number' && count >= 0 ? count : parts.length;
  budget.text(text.length + Math.min(most, parts.length) * replacement.length);
  if (most >= parts.length - 1) return parts.join(replacement);
  return [...parts.slice(0, most), parts.slice(most).join(old)].join(replacement);
}

/** Each line after the first moved to the right. */
export function indentText(text: string, call: TemplateCall, budget: Budget): string {
  const width = argument(call, 0, 'width') ?? 4;
  const padding = typeof width === 'number' ? width : toTemplateText(width).length;
  const lines = text.split('\n');
  budget.text(text.length + lines.length * Math.max(0, padding));
  const indent = typeof width === 'number' ? ' '.repeat(Math.max(0, width)) : toTemplateText(width);
  const first = argument(call, 1, 'first') === true;
  const blank = argument(call, 2, 'blank') === true;
  return lines
    .map((line, index) => ((index === 0 && !first) || (line === '' && !blank) ? line : indent + line))
    .join('\n');
}

/** At most so many characters, with an end that says that there was more. */
export function truncateText(text: string, call: TemplateCall): string {
  const length = argument(call, 0, 'length') ?? 255;
  const end = toTemplateText(argument(call, 2, 'end') ?? '...');
  if (typeof length !== 'number' || text.length <= length) return text;
  const cut = text.slice(0, Math.max(0, length - end.length));
  return (argument(call, 1, 'killwords') === true ? cut : withoutLastWord(cut)) + end;
}

/** Character by character: a pattern would try again at each of many blanks. */
function withoutLastWord(text: string): string {
  let at = text.length;
  while (at > 0 && text.charAt(at - 1).trim() !== '') at -= 1;
  return at === 0 ? text : text.slice(0, at).trimEnd();
}

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** For HTML; templates escape nothing by themselves. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
