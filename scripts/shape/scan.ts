import { createScanner, SyntaxKind } from 'typescript/unstable/ast';

/** A `/** *\/` comment, without its stars, on one line. */
export interface DocComment {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** One source file, taken apart by TypeScript's own scanner. */
export interface Scanned {
  /** The text with spaces in place of comments and of the texts inside templates, so that patterns see code only. */
  readonly code: string;
  /** Lines that are neither blank nor only comment. */
  readonly codeLines: number;
  readonly docComments: readonly DocComment[];
}

const { CloseBraceToken, OpenBraceToken, SlashToken, SlashEqualsToken } = SyntaxKind;
const COMMENTS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.SingleLineCommentTrivia,
  SyntaxKind.MultiLineCommentTrivia,
]);
const BLANKS: ReadonlySet<SyntaxKind> = new Set([SyntaxKind.WhitespaceTrivia, SyntaxKind.NewLineTrivia]);
const TEMPLATES: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
]);
/** A slash after one of these divides; after anything else it begins a regular expression. */
const OPERANDS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  CloseBraceToken,
  SyntaxKind.ThisKeyword,
]);

interface Token {
  readonly kind: SyntaxKind;
  readonly start: number;
  readonly text: string;
}

/** Takes a text apart. A regular expression directly after `)` or `}` is read as a division. */
export function scan(text: string): Scanned {
  const tokens = [...tokensOf(text)];
  const comments = tokens.filter(({ kind }) => COMMENTS.has(kind));
  const templates = tokens.filter(({ kind }) => TEMPLATES.has(kind));
  const uncommented = blank(text, comments);
  return {
    code: blank(uncommented, templates),
    codeLines: uncommented.split('\n').filter((line) => line.trim() !== '').length,
    docComments: comments
      .filter((comment) => comment.text.startsWith('/**'))
      .map((comment) => ({ line: lineAt(text, comment.start), text: toPlain(comment.text) })),
  };
}

/** All tokens with blanks and comments; braces are counted to find the end of each `${…}` in a template. */
function* tokensOf(text: string): Generator<Token> {
  const scanner = createScanner(false, undefined, text);
  const templates: number[] = [];
  let depth = 0;
  let last: SyntaxKind = SyntaxKind.Unknown;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if ((kind === SlashToken || kind === SlashEqualsToken) && !OPERANDS.has(last)) {
      kind = scanner.reScanSlashToken();
    } else if (kind === CloseBraceToken && templates.at(-1) === depth) {
      kind = scanner.reScanTemplateToken(false);
      if (kind === SyntaxKind.TemplateTail) templates.pop();
    } else if (kind === SyntaxKind.TemplateHead) templates.push(depth);
    else if (kind === OpenBraceToken) depth++;
    else if (kind === CloseBraceToken) depth--;
    if (!COMMENTS.has(kind) && !BLANKS.has(kind)) last = kind;
    yield { kind, start: scanner.getTokenStart(), text: scanner.getTokenText() };
  }
}

function blank(text: string, tokens: readonly Token[]): string {
  let end = 0;
  const kept = tokens.flatMap((token) => {
    const before = text.slice(end, token.start);
    end = token.start + token.text.length;
    return [before, token.text.replace(/[^\n]/g, ' ')];
  });
  return kept.join('') + text.slice(end);
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

function toPlain(comment: string): string {
  const lines = comment.slice(3, -2).split('\n');
  return lines
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join(' ')
    .trim();
}
