/** The table of a SQL token store; one statement each, as some databases take no more at once. */
export const TOKEN_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS tokens (
    key TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL, until INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT`,
  'CREATE INDEX IF NOT EXISTS tokens_until ON tokens (until)',
] as const;

/** How often what is over is removed, in milliseconds. */
export const PURGE_MS = 600_000;

const OVER = 'ON CONFLICT (key) DO UPDATE SET value = excluded.value, until = excluded.until';

/** What a SQL token store says; each upsert is one statement, so it is atomic between processes too. */
export const TOKEN_SQL = {
  claim: `INSERT INTO tokens VALUES (?, '', 1, ?) ${OVER}, version = 1 WHERE tokens.until <= ?`,
  get: 'SELECT value, version FROM tokens WHERE key = ? AND until > ?',
  put: `INSERT INTO tokens VALUES (?, ?, 1, ?) ${OVER}, version = tokens.version + 1`,
  insert: `INSERT INTO tokens VALUES (?, ?, 1, ?) ${OVER}, version = 1 WHERE tokens.until <= ?`,
  update:
    'UPDATE tokens SET value = ?, until = ?, version = version + 1 WHERE key = ? AND version = ? AND until > ?',
  delete: 'DELETE FROM tokens WHERE key = ?',
  purge: 'DELETE FROM tokens WHERE until <= ?',
} as const;
