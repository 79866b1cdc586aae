import { chmodSync, closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { SvcError } from '../../../src/errors.ts';
import type { TokenStore } from '../../../src/ports.ts';
import {
  createSqlTokenStore,
  GRACE_MS,
  PURGE_MS,
  TOKEN_SCHEMA,
  TOKEN_SQL,
  type TokenStatement,
} from '../../artefact/sql-token-store.ts';
import { makeFolder } from '../make-folder.ts';

/**
 * Opens a token store in a SQLite file that only its owner can read. Several processes of one machine may share the
 * file. Throws `config_invalid` if the file cannot be opened or created.
 */
export function openTokenStore(path: string, now: () => number = Date.now): TokenStore {
  const database = open(path);
  const statements = prepare(database);
  const purge = () => {
    try {
      statements.purge.run(now() - GRACE_MS);
    } catch {
      // No request waits for a purge. A full disk or a lock fails the requests that store something, and the next
      // purge may succeed.
    }
  };
  purge();
  const timer = setInterval(purge, PURGE_MS);
  timer.unref();
  return createSqlTokenStore(
    {
      name: `The file ${path}, which \`auth.persistence.path\` names,`,
      change: (name, values) => whenFree(() => Number(statements[name].run(...values).changes)),
      first: (name, values) => whenFree(() => statements[name].get(...values) ?? null),
      close: async () => {
        clearInterval(timer);
        database.close();
      },
    },
    now,
  );
}

/** Milliseconds after which a request tries again while another process writes. A try takes some microseconds. */
const RETRY_MS = 20;
/** The most milliseconds for which a request waits for another process. */
const WAIT_MS = 5_000;
const SQLITE_BUSY = 5;

/** Runs a statement, and again while another process holds the file. The requests of this process go on meanwhile. */
async function whenFree<T>(run: () => T): Promise<T> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return run();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= until) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Whether another process holds the file, which the lowest byte of the code tells. */
function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && (Number(thrown.errcode) & 0xff) === SQLITE_BUSY;
}

function prepare(database: DatabaseSync): { readonly [name in TokenStatement]: StatementSync } {
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
    makeFolder(dirname(path), 0o700);
    // Created by us and not by SQLite, so that it is never readable by others, not even for a moment.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    const database = new DatabaseSync(path, { timeout: WAIT_MS });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;');
    database.exec(TOKEN_SCHEMA.join(';'));
    // SQLite itself would wait on the thread of this process.
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (cause) {
    throw new SvcError(
      'config_invalid',
      `The file ${path}, which \`auth.persistence.path\` names, cannot be used to store sessions.
Give this user write access to it, or name another file.`,
      { cause },
    );
  }
}
