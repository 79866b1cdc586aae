import { SvcError } from '../../src/errors.ts';
import type { TokenStore } from '../../src/ports.ts';

/** The table of a token store in SQLite or D1; an array because some databases take one statement at a time. */
export const TOKEN_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS tokens (
    key TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL, until INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT`,
  'CREATE INDEX IF NOT EXISTS tokens_until ON tokens (until)',
] as const;

/** Expired rows are deleted this often; milliseconds. */
export const PURGE_MS = 600_000;
/** Rows are kept this long after they expire, because they still count for an instance whose clock is behind; milliseconds. */
export const GRACE_MS = 600_000;

const UPSERT = 'ON CONFLICT (key) DO UPDATE SET value = excluded.value, until = excluded.until';

/** The statements of a token store. Each upsert is one statement, so it is atomic between processes too. */
export const TOKEN_SQL = {
  claim: `INSERT INTO tokens VALUES (?, '', 1, ?) ${UPSERT}, version = 1 WHERE tokens.until <= ?`,
  get: 'SELECT value, version FROM tokens WHERE key = ? AND until > ?',
  put: `INSERT INTO tokens VALUES (?, ?, 1, ?) ${UPSERT}, version = tokens.version + 1`,
  insert: `INSERT INTO tokens VALUES (?, ?, 1, ?) ${UPSERT}, version = 1 WHERE tokens.until <= ?`,
  update:
    'UPDATE tokens SET value = ?, until = ?, version = version + 1 WHERE key = ? AND version = ? AND until > ?',
  delete: 'DELETE FROM tokens WHERE key = ?',
  purge: 'DELETE FROM tokens WHERE until <= ?',
} as const;

/** The name of a statement in `TOKEN_SQL`. */
export type TokenStatement = keyof typeof TOKEN_SQL;

/** A database that runs the statements of a token store. */
export interface TokenDatabase {
  /** Runs a statement; returns the number of changed rows. */
  change(statement: TokenStatement, values: readonly (string | number)[]): Promise<number>;
  /** Returns the first row; null if there is none. */
  first(
    statement: TokenStatement,
    values: readonly (string | number)[],
  ): Promise<Record<string, unknown> | null>;
  close(): Promise<void>;
  /** Names the database in errors: `The file /var/sessions.db, which ...`. */
  readonly name: string;
}

/**
 * Creates a token store in a SQL database (spec, `persistence`). Its methods throw `login_unavailable` if the database
 * fails, for example because its disk is full.
 */
export function createSqlTokenStore(database: TokenDatabase, now: () => number): TokenStore {
  const change = (statement: TokenStatement, ...values: readonly (string | number)[]) =>
    reached(database, () => database.change(statement, values));
  return {
    consistency: 'strong',
    claimOnce: async (key, seconds) => {
      const time = now();
      return (await change('claim', key, time + seconds * 1000, time)) === 1;
    },
    get: async (key) => {
      const row = await reached(database, () => database.first('get', [key, now()]));
      return row === null ? null : { value: String(row.value), version: Number(row.version) };
    },
    put: async (key, value, { seconds, ifVersion }) => {
      const time = now();
      const until = time + seconds * 1000;
      if (ifVersion === undefined) return (await change('put', key, value, until)) === 1;
      if (ifVersion === 0) return (await change('insert', key, value, until, time)) === 1;
      return (await change('update', value, until, key, ifVersion, time)) === 1;
    },
    delete: async (key) => void (await change('delete', key)),
    close: () => database.close(),
  };
}

async function reached<T>({ name }: TokenDatabase, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    throw new SvcError('login_unavailable', `${name} cannot store sessions now.`, { cause });
  }
}
