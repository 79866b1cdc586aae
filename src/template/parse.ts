import { parse, tokenize } from '@huggingface/jinja';
import type { Node } from './node.ts';

/** What is wrong with a template, what to do about it, and where its tag begins. */
export interface TemplateIssue {
  readonly message: string;
  readonly fix: string;
  readonly offset?: number;
}

type Parsed = { readonly program: Node } | { readonly problem: TemplateIssue };

const MAX_LENGTH = 65_536;
/** The tokenizer's time grows with the square of a run of blanks. */
const MAX_BLANKS = 1000;

/** A template's syntax tree, or why it has none. */
export function parseTemplate(text: string): Parsed {
  const tooLarge = sizeProblem(text);
  if (tooLarge !== null) return { problem: tooLarge };
  try {
    const program: Node = parse(tokenize(text));
    return { program };
  } catch (thrown) {
    return { problem: { ...explain(thrown), offset: offsetOfFailure(text) } };
  }
}

function sizeProblem(text: string): TemplateIssue | null {
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
    fix: 'Take them out.',
    offset,
  };
}

/** The parser's own words where they help, ours where it only fell off the end. */
function explain(thrown: unknown): { message: string; fix: string } {
  if (thrown instanceof RangeError) {
    return { message: 'The template is nested too deep.', fix: 'Take it apart with {% set %} or macros.' };
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const unknown = /Unknown statement type: (\w+)/.exec(text)?.[1];
  if (unknown !== undefined) return unknownTag(unknown);
  const end = thrown instanceof TypeError || /end of (input|comment)/.test(text);
  const why = end ? 'it ends before something in it does' : readable(text);
  return {
    message: `The template is not valid: ${why}.`,
    fix: 'Close every {{, {%, {#, bracket and quote, and every if, for, macro, set, filter and call with its end tag.',
  };
}

function unknownTag(name: string): { message: string; fix: string } {
  if (/^(end|else|elif)/.test(name)) {
    return { message: `{% ${name} %} has nothing to close.`, fix: 'Take it out, or open its block first.' };
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
    return `${tokenText(wanted)} was expected, not ${tokenText(found)}`;
  const unexpected = /^Unexpected token(?: type)?: (\w+)$/.exec(text)?.[1];
  if (unexpected !== undefined) return `${tokenText(unexpected)} is not expected there`;
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function tokenText(type: string): string {
  return TOKENS[type] ?? 'an operator';
}

/** Where the tag begins in which parsing stopped: the parser gives no positions, so its reads are counted. */
function offsetOfFailure(text: string): number {
  const starts = [...text.matchAll(/\{[{%#]/g)].map(({ index }) => index);
  try {
    const tokens: Tokens = tokenize(text);
    return starts[tagAt(tokens, furthestRead(tokens))] ?? starts.at(-1) ?? 0;
  } catch {
    return starts.find((start, index) => !canTokenize(text.slice(start, starts[index + 1]))) ?? 0;
  }
}

/** The package's own type files do not resolve here, so what is used of them is said again. */
type Tokens = readonly { readonly type: string }[];

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

/** The number of the tag that a token is in. */
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
