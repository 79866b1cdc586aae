import { isObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { SourceIssue } from '../finding.ts';

/** A Markdown file in its two parts. */
export interface SplitMarkdown {
  /** The YAML, after one empty line, so that its lines have the numbers of the file. */
  readonly yaml: string;
  readonly body: string;
  /** The line of the file on which the body begins. */
  readonly bodyLine: number;
}

const OPENING = /^---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*\r?$/m;

/** Splits a Markdown file at the lines `---` around its front matter. */
export function splitFrontMatter(text: string): SplitMarkdown | { readonly problem: SourceIssue } {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return { problem: unopened() };
  const rest = text.slice(opening.length);
  const closing = CLOSING.exec(rest);
  if (closing === null) return { problem: unclosed() };
  const head = opening + rest.slice(0, closing.index);
  const after = rest.slice(closing.index + closing[0].length);
  return {
    yaml: `\n${rest.slice(0, closing.index)}`,
    body: after.replace(/^\n/, ''),
    bodyLine: head.split('\n').length + 1,
  };
}

function unopened(): SourceIssue {
  return {
    code: 'front-matter',
    message: 'The file does not begin with the line `---`, so it has no front matter.',
    fix: 'Begin with `---`, then `name:` and `description:` on lines of their own, then `---`.',
    position: { line: 1, column: 1 },
  };
}

function unclosed(): SourceIssue {
  return {
    code: 'front-matter',
    message: 'The front matter that begins here has no end.',
    fix: 'Write the line `---` after its last key.',
    position: { line: 1, column: 1 },
  };
}

/**
 * Writes the Markdown that clients read. Every text of its front matter is in double quotes, so that the small YAML
 * parsers of clients read the same values as we do.
 */
export function toMarkdown(frontMatter: JsonObject, body: string): string {
  const lines = Object.entries(frontMatter).flatMap(([key, value]) => toLines(key, value));
  return `---\n${lines.join('\n')}\n---\n${body}`;
}

function toLines(key: string, value: JsonValue): readonly string[] {
  if (!isObject(value)) return [`${key}: ${JSON.stringify(value)}`];
  const entries = Object.entries(value);
  if (entries.length === 0) return [`${key}: {}`];
  return [`${key}:`, ...entries.map(([name, text]) => `  ${JSON.stringify(name)}: ${JSON.stringify(text)}`)];
}
