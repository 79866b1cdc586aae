import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../../../src/errors.ts';
import type { TokenStore } from '../../../src/ports.ts';
import { PURGE_MS, TOKEN_SCHEMA, TOKEN_SQL } from '../../artefact/token-sql.ts';

/** A store in one SQLite file that only its owner can read, shared by the processes of one machine (spec, `persistence`). */
export function openTokenStore(path: string, now: () => number = Date.now): TokenStore {
  const database = open(path);
  const statements = prepare(database);
  const purge = () => {
    try {
      statements.purge.run(now());
    } catch {
      // nobody waits for it: a full disk or a lock meets those who store, and the next time it may do
    }
  };
  purge();
  const timer = setInterval(purge, PURGE_MS);
  timer.unref();
  return {
    consistency: 'strong',
    claimOnce: (key, seconds) =>
      reached(path, () => {
        const time = now();
        return statements.claim.run(key, time + seconds * 1000, time).changes === 1;
      }),
    get: (key) =>
      reached(path, () => {
        const row = statements.get.get(key, now());
        return row === undefined ? null : { value: String(row.value), version: Number(row.version) };
      }),
    put: (key, value, { seconds, ifVersion }) =>
      reached(path, () => {
        const time = now();
        const until = time + seconds * 1000;
        if (ifVersion === undefined) return statements.put.run(key, value, until).changes === 1;
        if (ifVersion === 0) return statements.insert.run(key, value, until, time).changes === 1;
        return statements.update.run(value, until, key, ifVersion, time).changes === 1;
      }),
    delete: (key) => reached(path, () => void statements.delete.run(key)),
    close: async () => {
      clearInterval(timer);
      database.close();
    },
  };
}

/** A full disk, or another process that holds the file for long. */
async function reached<T>(path: string, ask: () => T): Promise<T> {
  try {
    return ask();
  } catch (cause) {
    const message = `The file ${path}, which \`auth.persistence.path\` names, cannot store sessions now.`;
    throw new SvcError('login_unavailable', message, { cause });
  }
}

function prepare(database: DatabaseSync) {
  return {
    claim: database.prepare(TOKEN_SQL.claim),
    get: database.prepare(TOKEN_SQL.get),
    put: database.prepare(TOKEN_SQL.put),
    insert: database.prepare(TOKEN_SQL.insert),
    update: database.prepare(TOKEN_SQL.update),
    delete: database.prepare(TOKEN_SQL.delete),
    purge: database.prepare(TOKEN_SQL.purge),
  };
}

function open(path: string): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Made by us, so that it is never readable by others, not even for a moment.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    const database = new DatabaseSync(path, { timeout: 5_000 });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;');
    database.exec(TOKEN_SCHEMA.join(';'));
    return database;
  } catch (cause) {
    throw new SvcError(
      'config_invalid',
      `The file ${path}, which \`auth.persistence.path\` names, cannot be used to store sessions.
Give this user the right to write there, or name another file.`,
      { cause },
    );
  }
}
