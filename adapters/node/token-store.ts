import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../../src/errors.ts';
import type { TokenStore } from '../../src/ports.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS tokens (
    key TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL, until INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX IF NOT EXISTS tokens_until ON tokens (until);
`;

/** How often what is over is removed, in milliseconds. */
const PURGE_MS = 600_000;

/** A store in one SQLite file that only its owner can read, shared by the processes of one machine (spec, `persistence`). */
export function openTokenStore(path: string, now: () => number = Date.now): TokenStore {
  const database = open(path);
  const statements = prepare(database);
  const purge = () => void statements.purge.run(now());
  purge();
  const timer = setInterval(purge, PURGE_MS);
  timer.unref();
  return {
    consistency: 'strong',
    claimOnce: async (key, seconds) => {
      const time = now();
      return statements.claim.run(key, time + seconds * 1000, time).changes === 1;
    },
    get: async (key) => {
      const row = statements.get.get(key, now());
      return row === undefined ? null : { value: String(row.value), version: Number(row.version) };
    },
    put: async (key, value, { seconds, ifVersion }) => {
      const time = now();
      const until = time + seconds * 1000;
      if (ifVersion === undefined) return statements.put.run(key, value, until).changes === 1;
      if (ifVersion === 0) return statements.insert.run(key, value, until, time).changes === 1;
      return statements.update.run(value, until, key, ifVersion, time).changes === 1;
    },
    delete: async (key) => void statements.delete.run(key),
    deletePrefix: async (prefix) => void statements.deletePrefix.run(prefix, prefix),
    close: async () => {
      clearInterval(timer);
      database.close();
    },
  };
}

/** Upserts are one statement each, so they are atomic between processes too. */
function prepare(database: DatabaseSync) {
  const over = 'ON CONFLICT (key) DO UPDATE SET value = excluded.value, until = excluded.until';
  return {
    claim: database.prepare(
      `INSERT INTO tokens VALUES (?, '', 1, ?) ${over}, version = 1 WHERE tokens.until <= ?`,
    ),
    get: database.prepare('SELECT value, version FROM tokens WHERE key = ? AND until > ?'),
    put: database.prepare(`INSERT INTO tokens VALUES (?, ?, 1, ?) ${over}, version = tokens.version + 1`),
    insert: database.prepare(
      `INSERT INTO tokens VALUES (?, ?, 1, ?) ${over}, version = 1 WHERE tokens.until <= ?`,
    ),
    update: database.prepare(
      'UPDATE tokens SET value = ?, until = ?, version = version + 1 WHERE key = ? AND version = ? AND until > ?',
    ),
    delete: database.prepare('DELETE FROM tokens WHERE key = ?'),
    deletePrefix: database.prepare('DELETE FROM tokens WHERE substr(key, 1, length(?)) = ?'),
    purge: database.prepare('DELETE FROM tokens WHERE until <= ?'),
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
    database.exec(SCHEMA);
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
