import { lexSql, type SqlIssue } from './lexer.ts';

/** One use of a parameter in SQL. */
export interface ParameterUse {
  readonly name: string;
  readonly offset: number;
}

/** SQL with `$1 .. $n` in place of names. `order[0]` is the name of the parameter bound at `$1`. */
export interface RewrittenSql {
  readonly sql: string;
  readonly order: readonly string[];
}

/** The named parameters of a SQL text. */
export interface ParameterScan {
  /** Each name once, in the order of first use. */
  readonly names: readonly string[];
  readonly uses: readonly ParameterUse[];
  readonly problems: readonly SqlIssue[];
  readonly rewrite: () => RewrittenSql;
}

/**
 * Finds the `$name` parameters of SQL. Skips similar text in strings, comments
 * and quoted names. `scanParameters("SELECT '$a', $b").names` is `['b']`.
 */
export function scanParameters(sql: string): ParameterScan {
  const { tokens, problems } = lexSql(sql);
  const uses = tokens
    .filter(({ kind }) => kind === 'parameter')
    .map(({ start, end }) => ({ name: sql.slice(start + 1, end), offset: start }));
  const positional = tokens
    .filter(({ kind }) => kind === 'positional')
    .map(({ start, end }) => ({
      message: `${sql.slice(start, end)} is a positional parameter: give it a name such as $id, and declare the name under \`parameters\``,
      offset: start,
    }));
  const names = [...new Set(uses.map(({ name }) => name))];
  return {
    names,
    uses,
    problems: [...problems, ...positional].sort((left, right) => left.offset - right.offset),
    rewrite: () => ({ sql: rewritten(sql, uses, names), order: names }),
  };
}

function rewritten(sql: string, uses: readonly ParameterUse[], names: readonly string[]): string {
  const positions = new Map(names.map((name, index) => [name, `$${index + 1}`]));
  let text = '';
  let from = 0;
  for (const { name, offset } of uses) {
    text += sql.slice(from, offset) + positions.get(name);
    from = offset + 1 + name.length;
  }
  return text + sql.slice(from);
}
