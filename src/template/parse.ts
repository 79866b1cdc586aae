import { parse, tokenize } from '@huggingface/jinja';
import type { Node } from './node.ts';

/** A fault of a template, with its remedy and the offset of its tag in characters. */
export interface TemplateIssue {
  readonly message: string;
  readonly fix: string;
  readonly offset?: number;
}

type Parsed = { readonly program: Node } | { readonly issue: TemplateIssue };

const MAX_LENGTH = 65_536;
/** The tokenizer takes time in proportion to the square of the length of a run of blanks. */
const MAX_BLANKS = 1000;

/** Parses a template to a syntax tree, or returns its fault. */
export function parseTemplate(text: string): Parsed {
  const tooLarge = sizeIssue(text);
  if (tooLarge !== null) return { issue: tooLarge };
  try {
    const tokens: Tokens = tokenize(text);
    const program: Node = parse(tokens);
    const chain = chainIn(tokens);
    return chain === null ? { program } : { issue: chainIssue(text, tokens, chain) };
  } catch (thrown) {
    return { issue: { ...explain(thrown), offset: offsetOfFailure(text) } };
  }
}

function sizeIssue(text: string): TemplateIssue | null {
  if (text.length > MAX_LENGTH) {
    return {
      message: `The template has ${text.length} characters; at most ${MAX_LENGTH} are allowed.`,
      fix: 'Move parts of it into parameters or further messages.',
    };
  }
  const offset = text.search(new RegExp(`\\s{${MAX_BLANKS}}`));
  if (offset === -1) return null;
  return {
    message: `The template has a run of more than ${MAX_BLANKS} blanks.`,
    fix: 'Remove them.',
    offset,
  };
}

/** Explains an error of the parser: in its own words where they help, and in ours at the end of the text. */
function explain(thrown: unknown): { message: string; fix: string } {
  if (thrown instanceof RangeError) {
    return { message: 'The template is nested too deep.', fix: 'Split it with {% set %} or macros.' };
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const unknown = /Unknown statement type: (\w+)/.exec(text)?.[1];
  if (unknown !== undefined) return unknownTag(unknown);
  if (/character: \p{L}$/u.test(text)) {
    return {
      message: 'The template has names of other letters than A to Z and a to z.',
      fix: 'Use names of these letters, digits and `_`: templates read no other.',
    };
  }
  const end = thrown instanceof TypeError || /end of (input|comment)/.test(text);
  const why = end ? 'a tag, bracket, quote or block is not closed' : readable(text);
  return {
    message: `The template is not valid: ${why}.`,
    fix: 'Close every {{, {%, {#, bracket and quote, and every if, for, macro, set, filter and call with its end tag.',
  };
}

function unknownTag(name: string): { message: string; fix: string } {
  if (/^(end|else|elif)/.test(name)) {
    return { message: `{% ${name} %} has no open block.`, fix: 'Remove it, or open its block first.' };
  }
  return {
    message: `There is no tag {% ${name} %}.`,
    fix: 'Use if, for, set, macro, call, filter, break or continue.',
  };
}

const TOKENS: { readonly [type: string]: string } = {
  OpenStatement: '"{%"',
  CloseStatement: '"%}"',
  OpenExpression: '"{{"',
  CloseExpression: '"}}"',
  OpenParen: '"("',
  CloseParen: '")"',
  OpenSquareBracket: '"["',
  CloseSquareBracket: '"]"',
  OpenCurlyBracket: '"{"',
  CloseCurlyBracket: '"}"',
  Comma: '","',
  Dot: '"."',
  Colon: '":"',
  Pipe: '"|"',
  Equals: '"="',
  Identifier: 'a name',
  NumericLiteral: 'a number',
  StringLiteral: 'a text in quotes',
};

function readable(text: string): string {
  const [, found, wanted] = /(\w+) !== (\w+)\.$/.exec(text) ?? [];
  if (found !== undefined && wanted !== undefined)
    return `${tokenText(wanted)} is expected, not ${tokenText(found)}`;
  const unexpected = /^Unexpected token(?: type)?: (\w+)$/.exec(text)?.[1];
  if (unexpected !== undefined) return `${tokenText(unexpected)} is not expected there`;
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function tokenText(type: string): string {
  return TOKENS[type] ?? 'an operator';
}

/** Finds the tag in which parsing stopped. The parser gives no positions, so we watch which tokens it reads. */
function offsetOfFailure(text: string): number {
  const starts = startsOfTags(text);
  try {
    const tokens: Tokens = tokenize(text);
    return starts[tagAt(tokens, furthestRead(tokens))] ?? starts.at(-1) ?? 0;
  } catch {
    return starts.find((start, index) => !canTokenize(text.slice(start, starts[index + 1]))) ?? 0;
  }
}

function startsOfTags(text: string): readonly number[] {
  return [...text.matchAll(/\{[{%#]/g)].map(({ index }) => index);
}

/** The tokens of the package, declared again because its own type files do not resolve here. */
type Tokens = readonly { readonly type: string; readonly value: string }[];

/** Words and marks that end an expression. The next expression may have one comparison again. */
const BETWEEN = /^(?:and|or|if|else|[,:=]|\{[{%])$/;

/**
 * Finds the second comparison of a chain such as `0 < x < 50`. The parser reads it as `(0 < x) < 50`, and its tree has no
 * brackets, so only the tokens tell the two apart.
 */
function chainIn(tokens: Tokens): number | null {
  const compared = [false];
  for (const [index, { type, value }] of tokens.entries()) {
    const isWord = type === 'Identifier' && tokens[index - 1]?.type !== 'Dot';
    if (/^Open(?:Paren|Square|Curly)/.test(type)) compared.push(false);
    else if (/^Close(?:Paren|Square|Curly)/.test(type)) compared.pop();
    else if (type === 'ComparisonBinaryOperator' || (isWord && value === 'in')) {
      if (compared.at(-1)) return index;
      compared.splice(-1, 1, true);
    } else if (type !== 'StringLiteral' && type !== 'Text' && BETWEEN.test(value))
      compared.splice(-1, 1, false);
  }
  return null;
}

function chainIssue(text: string, tokens: Tokens, index: number): TemplateIssue {
  return {
    message: 'The template chains comparisons, as in `0 < a < 9`.',
    fix: 'Write `0 < a and a < 9`, or put one comparison in parentheses.',
    offset: startsOfTags(text)[tagAt(tokens, index)] ?? 0,
  };
}

function furthestRead(tokens: Tokens): number {
  let furthest = 0;
  const watched = new Proxy([...tokens], {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) furthest = Math.max(furthest, Number(key));
      return Reflect.get(target, key, receiver);
    },
  });
  try {
    parse(watched);
  } catch {
    return Math.min(furthest, tokens.length - 1);
  }
  return 0;
}

/** Returns the number of the tag that holds a token. */
function tagAt(tokens: Tokens, index: number): number {
  const opened = tokens
    .slice(0, index + 1)
    .filter(({ type }) => /^(OpenStatement|OpenExpression|Comment)$/.test(type));
  return Math.max(0, opened.length - 1);
}

function canTokenize(text: string): boolean {
  try {
    tokenize(text);
    return true;
  } catch {
    return false;
  }
}
