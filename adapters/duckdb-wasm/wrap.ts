const BEFORE = 'SELECT * FROM (';

/** As a derived table a statement can only be one that reads; the line break ends a trailing comment. */
export function wrapStatement(sql: string, limit: number): string {
  return `${BEFORE}${sql}\n) LIMIT ${limit}`;
}

const EXCERPT = /\n\nLINE \d+: [^\n]*\n *\^/g;
const FIRST_LINE = new RegExp(
  `\n\nLINE 1: ${BEFORE.replace(/[*(]/g, '\\$&')}([^\n]*)\n {${BEFORE.length}}( *)\\^`,
);

/** DuckDB's message about a wrapped statement as one about the statement itself, with its excerpt once. */
export function unwrapMessage(message: string): string {
  const [excerpt = ''] = message.match(EXCERPT) ?? [];
  const text = message.replace(EXCERPT, '').trimEnd();
  return text + excerpt.replace(FIRST_LINE, '\n\nLINE 1: $1\n$2^');
}
