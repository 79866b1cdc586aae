/**
 * Folds the name of a table or a column as DuckDB compares names: it ignores the case of ASCII letters only, so `Ära` and
 * `ära` are two tables.
 */
export function foldName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The SQL that folds an expression in the same way. DuckDB's own `lower` also folds letters outside of ASCII. */
export function foldedSql(expression: string): string {
  return `translate(${expression}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`;
}
