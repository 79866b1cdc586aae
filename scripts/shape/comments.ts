import type { DocComment } from './scan.ts';
import type { SourceFile } from './tree.ts';

/** A doc comment and its place. */
export interface Riddle extends DocComment {
  readonly path: string;
}

/** Code, and names of sections. */
const QUOTED = /`[^`]*`|"[^"]*"/g;
const PATTERNS: readonly RegExp[] = [
  // A sentence, or the part after a colon or semicolon, that begins with the clause: "Of a list, its first item."
  /(?:^|[.:;] )(?:of|what|whatever|who|whom|whose|whoever|nobody|none|where|wherever)\b/i,
  // Clauses without a noun to hang on: "Counts what was posted."
  /\b(?:what|whatever|whoever|nobody)\b/i,
  // "The user who began it" and "the folder where it is" have their noun; "null where it has none" has not.
  /(?<!\b(?:people|person|users?|callers?|clients?|authors?|operators?|readers?|those|anyone) )\bwho\b/i,
  /(?<!\b(?:folder|file|line|place|position|path|point|column|table|address|offset|page|section|cases?) )\bwhere\b/i,
];

/**
 * Finds doc comments in which a clause stands in for a noun. One of three signs is enough:
 * - a sentence, or the part after a colon or semicolon, begins with "of", "what", "who", "nobody", "none", "where" ...;
 * - "what", "whatever", "whoever" or "nobody" occurs;
 * - "who" does not follow a person, or "where" does not follow a place.
 * Quoted texts do not count. A few plain sentences are caught ("where" for "if"), and some riddles pass.
 */
export function findRiddles(files: readonly SourceFile[]): readonly Riddle[] {
  return files.flatMap(({ path, docComments }) =>
    docComments.filter(({ text }) => isRiddle(text)).map((comment) => ({ path, ...comment })),
  );
}

function isRiddle(text: string): boolean {
  const prose = text.replace(QUOTED, 'x');
  return PATTERNS.some((pattern) => pattern.test(prose));
}
