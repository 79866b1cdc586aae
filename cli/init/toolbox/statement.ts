import { lexSql, type SqlToken } from '../../../src/sql/lexer.ts';

/** A statement with names in place of positions, or the reason why there is none. */
type ConvertedStatement =
  | { readonly sql: string; readonly used: ReadonlySet<string> }
  | { readonly reason: string };

/**
 * Names the positional parameters of a statement: `$2` and the second `?` are the second parameter. `textOf` gives the
 * SQL for each.
 *
 * @example nameParameters('SELECT * FROM t WHERE a = $1', ['id'], (name) => `$${name}`)
 */
export function nameParameters(
  statement: string,
  names: readonly string[],
  textOf: (name: string) => string,
): ConvertedStatement {
  const { tokens } = lexSql(statement);
  const used = new Set<string>();
  let next = 0;
  let sql = '';
  for (const token of tokens) {
    const text = statement.slice(token.start, token.end);
    if (token.kind !== 'positional') {
      sql += text;
      continue;
    }
    const number = text.length > 1 ? Number(text.slice(1)) - 1 : next++;
    const name = names[number];
    if (name === undefined) {
      return { reason: `Its statement has the parameter ${text}, and \`parameters\` has ${names.length}.` };
    }
    used.add(name);
    sql += textOf(name);
  }
  return { sql: sql.trim().replace(/;$/, ''), used };
}

const LIKE = [/^like$/i, 'LIKE is case-sensitive in DuckDB: write ILIKE if it should not be.'] as const;
const DIVISION = [
  /^\/$/,
  '`/` of integers gives a fraction in DuckDB: write `//` for whole numbers.',
] as const;

/** Parts of a statement that DuckDB evaluates in another way, by the type of the tool. */
const DIFFERENCES: Readonly<Record<string, readonly (readonly [part: RegExp, remark: string])[]>> = {
  'sqlite-sql': [LIKE, DIVISION],
  'postgres-sql': [DIVISION],
  'mysql-sql': [LIKE],
};

/** Remarks about the parts of a statement that DuckDB evaluates in another way than the database itself. */
export function differencesOf(type: string, statement: string): readonly string[] {
  const { tokens } = lexSql(statement);
  const texts = tokens.map(({ start, end }) => statement.slice(start, end));
  const known = Object.hasOwn(DIFFERENCES, type) ? (DIFFERENCES[type] ?? []) : [];
  return known.flatMap(([part, remark]) => (texts.some((text) => part.test(text)) ? remark : []));
}

/** MySQL's quotes around names in the form of the standard: `a` becomes "a". */
export function toStandardQuotes(statement: string): string {
  const { tokens } = lexSql(statement);
  const isTick = ({ start }: SqlToken) => statement[start] === '`';
  return tokens.map((token) => (isTick(token) ? '"' : statement.slice(token.start, token.end))).join('');
}
