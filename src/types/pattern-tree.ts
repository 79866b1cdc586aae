/** The place that a zero-width test asks for: an end of the text, or the edge of a word. */
export type Edge = 'start' | 'end' | 'word' | 'not-word';

/** The structure of a regular expression. A class keeps its source, which JavaScript's own `RegExp` matches. */
export type PatternTree =
  | { readonly kind: 'char'; readonly code: number }
  | { readonly kind: 'class'; readonly source: string }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternTree[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternTree[] }
  | { readonly kind: 'repeat'; readonly part: PatternTree; readonly min: number; readonly max: number };

/** The reason why a pattern cannot be used, without its subject: `is longer than 1000 characters`. */
export class PatternRejection {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

const MAX_SOURCE = 1000;
const MAX_DEPTH = 50;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;
const GROUP = /\((?:\?:|\?<[^=!][^>]*>|(?!\?))/y;
const CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/y;
const ESCAPE =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|[\s\S])/uy;
const EDGES: { readonly [source: string]: Edge } = {
  '^': 'start',
  $: 'end',
  '\\b': 'word',
  '\\B': 'not-word',
};

interface Cursor {
  readonly source: string;
  at: number;
  depth: number;
}

/** Parses a JavaScript regular expression (flag `u`). Rejects one that cannot be matched in linear time. */
export function parsePattern(source: string): PatternTree | PatternRejection {
  if (source.length > MAX_SOURCE) return new PatternRejection(`is longer than ${MAX_SOURCE} characters`);
  try {
    new RegExp(source, 'u');
  } catch (error) {
    const reason = String(error);
    return new PatternRejection(
      `is not a regular expression (${reason.slice(reason.lastIndexOf(': ') + 2)})`,
    );
  }
  return parseChoice({ source, at: 0, depth: 0 });
}

function parseChoice(cursor: Cursor): PatternTree | PatternRejection {
  const options: PatternTree[] = [];
  do {
    if (options.length > 0) cursor.at += 1;
    const option = parseSequence(cursor);
    if (option instanceof PatternRejection) return option;
    options.push(option);
  } while (cursor.source[cursor.at] === '|');
  return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options };
}

function parseSequence(cursor: Cursor): PatternTree | PatternRejection {
  const parts: PatternTree[] = [];
  while (cursor.at < cursor.source.length && !'|)'.includes(cursor.source[cursor.at] ?? '')) {
    const part = parseAtom(cursor);
    if (part instanceof PatternRejection) return part;
    parts.push(quantified(cursor, part));
  }
  return { kind: 'sequence', parts };
}

function parseAtom(cursor: Cursor): PatternTree | PatternRejection {
  const { source, at } = cursor;
  const first = source[at];
  if (first === '(') return parseGroup(cursor);
  if (first === '\\') return parseEscape(cursor);
  if (first === '[') return { kind: 'class', source: take(cursor, CLASS) };
  if (first === '.') return { kind: 'class', source: take(cursor, /\./y) };
  const code = source.codePointAt(at) ?? 0;
  const char = String.fromCodePoint(code);
  cursor.at += char.length;
  const edge = EDGES[char];
  return edge ? { kind: 'edge', edge } : { kind: 'char', code };
}

function parseGroup(cursor: Cursor): PatternTree | PatternRejection {
  const rest = cursor.source.slice(cursor.at, cursor.at + 4);
  const at = `at character ${cursor.at + 1}`;
  if (/^\(\?<?[=!]/.test(rest))
    return new PatternRejection(`looks ahead or behind ${at}, which cannot be tested in linear time`);
  if (take(cursor, GROUP) === '') return new PatternRejection(`changes flags ${at}, which is not supported`);
  cursor.depth += 1;
  if (cursor.depth > MAX_DEPTH) return new PatternRejection(`nests groups deeper than ${MAX_DEPTH}`);
  const inner = parseChoice(cursor);
  cursor.depth -= 1;
  cursor.at += 1;
  return inner;
}

function parseEscape(cursor: Cursor): PatternTree | PatternRejection {
  const source = take(cursor, ESCAPE);
  if (/^\\[1-9k]/.test(source)) {
    const at = `at character ${cursor.at - source.length + 1}`;
    return new PatternRejection(`refers back to a group ${at}, which cannot be tested in linear time`);
  }
  const edge = EDGES[source];
  return edge ? { kind: 'edge', edge } : { kind: 'class', source };
}

function quantified(cursor: Cursor, part: PatternTree): PatternTree {
  QUANTIFIER.lastIndex = cursor.at;
  const found = QUANTIFIER.exec(cursor.source);
  if (found === null) return part;
  cursor.at += found[0].length;
  const [text, least, comma, most] = found;
  if (least !== undefined) {
    const min = Number(least);
    const max = comma === undefined ? min : most ? Number(most) : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', part, min, max };
  }
  const min = text.startsWith('+') ? 1 : 0;
  return { kind: 'repeat', part, min, max: text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY };
}

function take(cursor: Cursor, shape: RegExp): string {
  shape.lastIndex = cursor.at;
  const text = shape.exec(cursor.source)?.[0] ?? '';
  cursor.at += text.length;
  return text;
}
