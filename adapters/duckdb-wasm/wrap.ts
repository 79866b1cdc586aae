import { asQuery } from '../../src/sql/query.ts';

const [BEFORE = ''] = asQuery('', 1).split('\n');
const EXCERPT = /\n\nLINE \d+: [^\n]*\n *\^/g;
const FIRST_LINE = '\n\nLINE 1: ';

/** DuckDB's message about a wrapped statement as one about the statement itself, with its excerpt once. */
export function unwrapMessage(message: string): string {
  const [excerpt = ''] = message.match(EXCERPT) ?? [];
  return message.replace(EXCERPT, '').trimEnd() + unwrapExcerpt(excerpt);
}

/** The first line begins with the wrapping, and the mark below stands that much too far to the right. */
function unwrapExcerpt(excerpt: string): string {
  if (!excerpt.startsWith(FIRST_LINE + BEFORE)) return excerpt;
  const [line = '', mark = ''] = excerpt.slice(FIRST_LINE.length + BEFORE.length).split('\n');
  return `${FIRST_LINE}${line}\n${mark.slice(BEFORE.length)}`;
}
