import type { Budget } from './budget.ts';
import { argument, type TemplateCall, templateError, toTemplateText, type Value } from './value.ts';

/** A filter or method of a text. */
export type TextFunction = (text: string, call: TemplateCall, budget: Budget) => Value;

/** The functions that a text has both as filters and as methods. */
export const TEXT_FUNCTIONS: { readonly [name: string]: TextFunction } = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  // An apostrophe is part of a word.
  title: (text, _, budget) => {
    budget.items(text.length);
    return text.replace(/[^-\s({[<]+/g, capitalize);
  },
  capitalize,
  replace: replaceText,
};

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

/** Removes blanks, or the given characters, from the ends of a text: `trim(chars)`. */
export function trimText(text: string, characters: string, side: 'both' | 'start' | 'end'): string {
  if (characters === '')
    return side === 'both' ? text.trim() : side === 'start' ? text.trimStart() : text.trimEnd();
  const unwanted = new Set(Array.from(characters, (character) => character.codePointAt(0)));
  let start = 0;
  let end = text.length;
  // Some characters take two places of a text.
  const sizeAt = (at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  const beforeEnd = (): number => end - (end - start > 1 ? sizeAt(end - 2) : 1);
  if (side !== 'end') while (start < end && unwanted.has(text.codePointAt(start))) start += sizeAt(start);
  if (side !== 'start') while (end > start && unwanted.has(text.codePointAt(beforeEnd()))) end = beforeEnd();
  return text.slice(start, end);
}

/** `replace(old, new, count)`; an empty text stands before each character and at the end. */
function replaceText(text: string, call: TemplateCall, budget: Budget): string {
  const given = argument(call, 0, 'old');
  if (given === undefined) throw templateError('replace() needs a text to look for');
  const old = toTemplateText(given, budget);
  const replacement = toTemplateText(argument(call, 1, 'new'), budget);
  const count = argument(call, 2, 'count');
  if (old === '') budget.items(text.length);
  const parts = old === '' ? ['', ...text, ''] : splitText(text, old, budget);
  const most = typeof count === 'number' && count >= 0 ? count : parts.length;
  budget.text(text.length + Math.min(most, parts.length) * replacement.length);
  if (most >= parts.length - 1) return parts.join(replacement);
  return [...parts.slice(0, most), parts.slice(most).join(old)].join(replacement);
}

/** Takes a text apart at a separator. */
export function splitText(text: string, separator: string, budget: Budget): readonly string[] {
  budget.search(text.length, separator.length);
  const parts = text.split(separator);
  budget.items(parts.length);
  return parts;
}

/** Takes a text apart at its blanks. */
export function splitWords(text: string, budget: Budget): readonly string[] {
  budget.items(text.length);
  return text.split(/\s+/).filter(Boolean);
}

/** Moves each line but the first to the right: `indent(width, first, blank)`. */
export function indentText(text: string, call: TemplateCall, budget: Budget): string {
  const width = argument(call, 0, 'width') ?? 4;
  const padding = typeof width === 'number' ? Math.max(0, width) : toTemplateText(width, budget);
  const lines = splitText(text, '\n', budget);
  budget.text(text.length + lines.length * (typeof padding === 'number' ? padding : padding.length));
  const indent = typeof padding === 'number' ? ' '.repeat(padding) : padding;
  const first = argument(call, 1, 'first') === true;
  const blank = argument(call, 2, 'blank') === true;
  return lines
    .map((line, index) => ((index === 0 && !first) || (line === '' && !blank) ? line : indent + line))
    .join('\n');
}

/** Cuts a text to a length and marks the cut: `truncate(length, killwords, end)`. */
export function truncateText(text: string, call: TemplateCall, budget: Budget): string {
  const length = argument(call, 0, 'length') ?? 255;
  const end = toTemplateText(argument(call, 2, 'end') ?? '...', budget);
  if (typeof length !== 'number' || text.length <= length) return text;
  budget.items(text.length);
  const whole = [...text];
  if (whole.length <= length) return text;
  const cut = whole.slice(0, Math.max(0, length - [...end].length)).join('');
  return (argument(call, 1, 'killwords') === true ? cut : withoutLastWord(cut)) + end;
}

/** Goes character by character: a pattern would start again at each of many blanks. */
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

/** Escapes a text for HTML. Templates never do so by themselves. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
