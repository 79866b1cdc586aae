import { lexSql } from '../../../src/sql/lexer.ts';

/** The quotes around a text in any notation. */
const TEXT_QUOTES = /^(?:e?'|\$[^$]*\$)|(?:'|\$[^$]*\$)$/g;

/**
 * Whether a statement names a database: by a word, a quoted name, the schema of a lake's own tables, or inside a text,
 * because functions such as `query_table` and `ducklake_snapshots` take names as texts. A comment names nothing.
 */
export function namesDatabase(sql: string, database: string): boolean {
  return hasName(sql.toLowerCase(), database.toLowerCase());
}

function hasName(sql: string, name: string): boolean {
  return lexSql(sql).tokens.some(({ kind, start, end }) => {
    const text = sql.slice(start, end);
    if (kind === 'word') return text === name || text === `__ducklake_metadata_${name}`;
    if (kind === 'quoted') return text.slice(1, -1).replaceAll('""', '"') === name;
    if (kind !== 'string') return false;
    const inner = text.replace(TEXT_QUOTES, '');
    return inner === name || (inner !== text && hasName(inner, name));
  });
}
