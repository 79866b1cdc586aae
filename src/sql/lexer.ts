/** The kind of a token. */
export type TokenKind =
  | 'word'
  | 'quoted'
  | 'string'
  | 'number'
  | 'parameter'
  | 'positional'
  | 'blank'
  | 'comment'
  | 'symbol';

/** A token of SQL between two offsets. The tokens of a text have no gaps between them. */
export interface SqlToken {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

/** A lexical error of SQL and its place. */
export interface SqlIssue {
  readonly message: string;
  /** In UTF-16 units from the start of the text. */
  readonly offset: number;
}

/** The tokens of a SQL text, split by DuckDB's lexical rules. */
export interface Lexed {
  readonly tokens: readonly SqlToken[];
  readonly problems: readonly SqlIssue[];
}

/** DuckDB reads these Unicode blanks, which editors and web pages leave behind, as blanks. */
const UNICODE_BLANKS = String.raw`\u00a0\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff`;
/** DuckDB reads every other character beyond ASCII as a letter. */
const LETTERS = String.raw`A-Za-z_\x80-\x9f\xa1-\u1fff\u200c-\u202e\u2030-\u205e\u2061-\u2fff\u3001-\ufefe\uff00-\uffff`;
const UNICODE_BLANK = new RegExp(`[${UNICODE_BLANKS}]`);
const EVERY_UNICODE_BLANK = new RegExp(UNICODE_BLANK, 'g');
const BLANK = new RegExp(`[ \\t\\n\\r\\f${UNICODE_BLANKS}]+`, 'y');
const WORD = new RegExp(`[${LETTERS}][${LETTERS}0-9$]*`, 'y');
/** DuckDB reads `$e'…'` as a single `$` and a string with escapes. */
const PARAMETER = new RegExp(String.raw`\$(?![eE]')[${LETTERS}][${LETTERS}0-9]*`, 'y');
const DOLLAR_TAG = new RegExp(String.raw`\$(?:[${LETTERS}][${LETTERS}0-9]*)?\$`, 'y');
const INTEGER = String.raw`\d(?:_?\d)*`;
/** `1_000`, `1.`, `.5`, `1e5`. Of `1_$$`, only `1` is a number, and in `1..2` no number has a dot. */
const NUMBER = new RegExp(
  String.raw`(?:${INTEGER}(?:\.(?!\.)(?:${INTEGER})?)?|\.${INTEGER})(?:[eE][-+]?${INTEGER})?`,
  'y',
);
const LINE_COMMENT = /--[^\n\r]*/y;
const COMMENT_EDGE = /\/\*|\*\//g;
/** Inside a string with escapes: a sequence to skip, or the closing quote. */
const QUOTE_OR_ESCAPE = /''|\\[\s\S]|'/g;
const POSITIONAL = new RegExp(String.raw`\$${INTEGER}|\?(?:${INTEGER})?`, 'y');

/** Splits SQL into tokens in one pass. Never throws. Unclosed text is reported as an issue. */
export function lexSql(sql: string): Lexed {
  const tokens: SqlToken[] = [];
  const problems: SqlIssue[] = [];
  for (let start = 0; start < sql.length; ) {
    const { kind, end, problem } = readToken(sql, start);
    if (problem !== undefined) problems.push({ message: problem, offset: start });
    tokens.push({ kind, start, end });
    start = end;
  }
  return { tokens, problems };
}

/** A token as it is written. */
export interface WrittenToken {
  readonly kind: TokenKind;
  readonly text: string;
}

/** The tokens of SQL as they are written, without blanks and comments. */
export function writtenTokens(sql: string): readonly WrittenToken[] {
  return lexSql(sql)
    .tokens.filter(({ kind }) => kind !== 'blank' && kind !== 'comment')
    .map(({ kind, start, end }) => ({ kind, text: sql.slice(start, end) }));
}

/** The texts of these tokens. */
export function tokenTexts(sql: string): readonly string[] {
  return writtenTokens(sql).map(({ text }) => text);
}

/** Whether SQL has blanks beyond ASCII. DuckDB does not read them as blanks in every place. */
export function hasUnicodeBlank(sql: string): boolean {
  return UNICODE_BLANK.test(sql);
}

/** The text with blanks of ASCII in place of others, which DuckDB replaces inside of quotes too if escapes mislead it about them. */
export function withPlainBlanks(sql: string): string {
  return sql.replaceAll(EVERY_UNICODE_BLANK, ' ');
}

/**
 * The text with blanks of ASCII between its tokens, which keep their places. DuckDB takes a Unicode blank for a letter if a
 * `$` in a name or an escaped quote before it misleads DuckDB about quotes.
 */
export function withPlainGaps(sql: string): string {
  if (!hasUnicodeBlank(sql)) return sql;
  return lexSql(sql)
    .tokens.map(({ kind, start, end }) => {
      const text = sql.slice(start, end);
      return kind === 'blank' ? withPlainBlanks(text) : text;
    })
    .join('');
}

/** The token at an offset: its kind, its end and its error. */
interface Reading {
  readonly kind: TokenKind;
  readonly end: number;
  readonly problem?: string;
}

function readToken(sql: string, at: number): Reading {
  switch (sql[at]) {
    case "'":
      return closed(sql, 'string', closingQuote(sql, at), 'This string');
    case '"':
      return closed(sql, 'quoted', closingQuote(sql, at), 'This quoted name');
    case '$':
      return readDollar(sql, at);
    case '?':
      return { kind: 'positional', end: match(POSITIONAL, sql, at) };
    case '-':
      return {
        kind: sql[at + 1] === '-' ? 'comment' : 'symbol',
        end: match(LINE_COMMENT, sql, at) || at + 1,
      };
    case '/':
      return sql[at + 1] === '*' ? readBlockComment(sql, at) : { kind: 'symbol', end: at + 1 };
    case '.':
      return sql[at + 1] === '.' ? { kind: 'symbol', end: at + 2 } : readPlain(sql, at);
    case '\0':
      return { kind: 'symbol', end: at + 1, problem: 'A NUL character ends the SQL here: remove it' };
    default:
      return readPlain(sql, at);
  }
}

function readPlain(sql: string, at: number): Reading {
  const blank = match(BLANK, sql, at);
  if (blank > 0) return { kind: 'blank', end: blank };
  const word = match(WORD, sql, at);
  if (word === at + 1 && sql[word] === "'" && /[eE]/.test(sql.charAt(at)))
    return readEscapedString(sql, word);
  if (word > 0) return { kind: 'word', end: word };
  const number = match(NUMBER, sql, at);
  return number > 0 ? { kind: 'number', end: number } : { kind: 'symbol', end: at + 1 };
}

function readDollar(sql: string, at: number): Reading {
  const tag = match(DOLLAR_TAG, sql, at);
  if (tag > 0) return readDollarString(sql, tag, sql.slice(at, tag));
  const named = match(PARAMETER, sql, at);
  if (named > 0) return { kind: 'parameter', end: named };
  const positional = match(POSITIONAL, sql, at);
  if (positional > 0) return { kind: 'positional', end: positional };
  return {
    kind: 'symbol',
    end: at + 1,
    problem: 'A single $ is not a parameter: write $name, without blanks or quotes',
  };
}

function readDollarString(sql: string, from: number, tag: string): Reading {
  const close = sql.indexOf(tag, from);
  if (close >= 0) return { kind: 'string', end: close + tag.length };
  const hint = tag === '$$' ? '' : ' (put a blank between two adjacent parameters)';
  const problem = `The text that ${tag} opens is never closed with ${tag}${hint}`;
  return { kind: 'string', end: sql.length, problem };
}

/** Reads a string with backslash escapes, together with its pieces on the next lines. */
function readEscapedString(sql: string, quote: number): Reading {
  let end = closingEscapedQuote(sql, quote);
  for (let next = nextPiece(sql, end + 1); next > 0; next = nextPiece(sql, end + 1)) {
    end = closingEscapedQuote(sql, next);
  }
  return closed(sql, 'string', end, 'This string');
}

/** Finds the continuation of a string: a quote after a line break, with only blanks and line comments in between. */
function nextPiece(sql: string, from: number): number {
  let at = from;
  for (let end = at; end > 0; end = match(BLANK, sql, at) || match(LINE_COMMENT, sql, at)) at = end;
  return sql[at] === "'" && /[\n\r]/.test(sql.slice(from, at)) ? at : 0;
}

function readBlockComment(sql: string, at: number): Reading {
  COMMENT_EDGE.lastIndex = at + 2;
  for (let depth = 1; depth > 0; ) {
    const edge = COMMENT_EDGE.exec(sql);
    if (edge === null) {
      const problem = 'This comment is never closed (comments nest: each /* needs its own */)';
      return { kind: 'comment', end: sql.length, problem };
    }
    depth += edge[0] === '/*' ? 1 : -1;
  }
  return { kind: 'comment', end: COMMENT_EDGE.lastIndex };
}

/**
 * Returns the offset after the closing quote and skips doubled
 * quotes. The result is beyond the end if the quote is never closed.
 */
function closingQuote(sql: string, at: number): number {
  const quote = sql.charAt(at);
  let end = sql.indexOf(quote, at + 1);
  while (end >= 0 && sql[end + 1] === quote) end = sql.indexOf(quote, end + 2);
  return end < 0 ? sql.length : end;
}

function closingEscapedQuote(sql: string, at: number): number {
  QUOTE_OR_ESCAPE.lastIndex = at + 1;
  for (;;) {
    const found = QUOTE_OR_ESCAPE.exec(sql);
    if (found === null) return sql.length;
    if (found[0] === "'") return found.index;
  }
}

/** Reads a token that needs a closing quote. */
function closed(sql: string, kind: TokenKind, quote: number, what: string): Reading {
  return quote < sql.length
    ? { kind, end: quote + 1 }
    : { kind, end: sql.length, problem: `${what} is never closed` };
}

/** Returns the end of a match that begins exactly at an offset; 0 if there is none. */
function match(shape: RegExp, sql: string, at: number): number {
  shape.lastIndex = at;
  return shape.test(sql) ? shape.lastIndex : 0;
}
