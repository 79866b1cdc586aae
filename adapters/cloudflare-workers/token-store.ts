import { SvcError } from '../../src/errors.ts';
import type { TokenStore } from '../../src/ports.ts';
import { PURGE_MS, TOKEN_SCHEMA, TOKEN_SQL } from '../artefact/token-sql.ts';

/** The parts of a D1 binding that a store needs. */
export interface D1 {
  prepare(sql: string): D1Statement;
  batch(statements: D1Statement[]): Promise<unknown>;
}

/** One statement of D1 with its values. */
export interface D1Statement {
  bind(...values: (string | number)[]): D1Statement;
  first(): Promise<Record<string, unknown> | null>;
  run(): Promise<{ readonly meta: { readonly changes: number } }>;
}

type Name = keyof typeof TOKEN_SQL;

/** A store in a D1 database, whose table is made on the first use (spec, `persistence`). */
export function createD1Store(database: D1, now: () => number = Date.now): TokenStore {
  const prepared = createPrepare(database, now);
  const run = (name: Name, ...values: (string | number)[]) =>
    reached(async () => (await (await prepared(name, values)).run()).meta.changes);
  return {
    consistency: 'strong',
    claimOnce: async (key, seconds) => {
      const time = now();
      return (await run('claim', key, time + seconds * 1000, time)) === 1;
    },
    get: async (key) => {
      const row = await reached(async () => (await prepared('get', [key, now()])).first());
      return row === null ? null : { value: String(row.value), version: Number(row.version) };
    },
    put: async (key, value, { seconds, ifVersion }) => {
      const time = now();
      const until = time + seconds * 1000;
      if (ifVersion === undefined) return (await run('put', key, value, until)) === 1;
      if (ifVersion === 0) return (await run('insert', key, value, until, time)) === 1;
      return (await run('update', value, until, key, ifVersion, time)) === 1;
    },
    delete: async (key) => void (await run('delete', key)),
    close: async () => {},
  };
}

/**
 * Statements, once the table is there; what is over goes then, and again by the way: a Worker has no timers. Nor may a
 * request wait for another's, which may be cancelled: those that begin together each make sure of the table.
 */
function createPrepare(database: D1, now: () => number) {
  let due = Number.NEGATIVE_INFINITY;
  const tidy = async () => {
    const time = now();
    const schema = TOKEN_SCHEMA.map((sql) => database.prepare(sql));
    await database.batch([...schema, database.prepare(TOKEN_SQL.purge).bind(time)]);
  };
  return async (name: Name, values: readonly (string | number)[]): Promise<D1Statement> => {
    const time = now();
    if (time >= due) {
      await tidy();
      due = time + PURGE_MS;
    }
    return database.prepare(TOKEN_SQL[name]).bind(...values);
  };
}

async function reached<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    const message = 'The D1 database that `auth.persistence.binding` names cannot store sessions now.';
    throw new SvcError('login_unavailable', message, { cause });
  }
}
