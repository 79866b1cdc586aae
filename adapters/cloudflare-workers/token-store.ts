import type { TokenStore } from '../../src/ports.ts';
import {
  createSqlTokenStore,
  GRACE_MS,
  PURGE_MS,
  TOKEN_SCHEMA,
  TOKEN_SQL,
  type TokenStatement,
} from '../artefact/sql-token-store.ts';

/** The parts of a D1 binding that a store needs. */
export interface D1 {
  prepare(sql: string): D1Statement;
  batch(statements: D1Statement[]): Promise<unknown>;
}

/** A statement of D1 with its values. */
export interface D1Statement {
  bind(...values: (string | number)[]): D1Statement;
  first(): Promise<Record<string, unknown> | null>;
  run(): Promise<{ readonly meta: { readonly changes: number } }>;
}

/** Creates a token store in a D1 database. The first use creates its table. */
export function createD1Store(database: D1, now: () => number = Date.now): TokenStore {
  const prepare = createPrepare(database, now);
  return createSqlTokenStore(
    {
      name: 'The D1 database that `auth.persistence.binding` names',
      change: async (...statement) => (await (await prepare(...statement)).run()).meta.changes,
      first: async (...statement) => (await prepare(...statement)).first(),
      close: async () => {},
    },
    now,
  );
}

/**
 * Prepares statements after creating the table and deleting expired rows; the latter again every `PURGE_MS`, because a
 * Worker has no timers. Concurrent first requests each create the table: a request must not wait for another one,
 * which may be cancelled.
 */
function createPrepare(database: D1, now: () => number) {
  let due = Number.NEGATIVE_INFINITY;
  const tidy = async () => {
    const schema = TOKEN_SCHEMA.map((sql) => database.prepare(sql));
    await database.batch([...schema, database.prepare(TOKEN_SQL.purge).bind(now() - GRACE_MS)]);
  };
  return async (name: TokenStatement, values: readonly (string | number)[]): Promise<D1Statement> => {
    const time = now();
    if (time >= due) {
      await tidy();
      due = time + PURGE_MS;
    }
    return database.prepare(TOKEN_SQL[name]).bind(...values);
  };
}
