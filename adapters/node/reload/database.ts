import { SvcError, toSvcError } from '../../../src/errors.ts';
import type { Database } from '../../../src/ports.ts';
import type { Exchanged } from './exchangeable.ts';

/** Opens the database: with the values that hold now, or with those that held before. */
export interface Openers {
  readonly next: () => Promise<Database>;
  readonly before: () => Promise<Database>;
  /** Aborts when it is too late for the new values. */
  readonly signal?: AbortSignal;
}

/** What was given up may still run in the database, where nothing can end it: those to come are not to wait for that. */
const CLOSE_MS = 5_000;

/**
 * A database opened anew. One that only reads is opened beside the old one, so a failure costs nothing; a file takes
 * one writer only, so one that writes is closed first, and opened as it was when the new values do not do.
 */
export async function reopen(current: Database, openers: Openers): Promise<Exchanged> {
  if (!current.readonly) return reopenAlone(current, openers);
  const database = await openInTime(openers);
  await letGo(current);
  return { database, failure: null };
}

async function reopenAlone(current: Database, openers: Openers): Promise<Exchanged> {
  await letGo(current);
  try {
    return { database: await openInTime(openers), failure: null };
  } catch (thrown) {
    return { database: await openers.before().catch(closed), failure: toSvcError(thrown) };
  }
}

async function openInTime({ next, signal }: Openers): Promise<Database> {
  const database = await next();
  if (signal?.aborted !== true) return database;
  await database.close();
  throw signal.reason;
}

async function letGo(database: Database): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  await Promise.race([database.close(), late]).finally(() => clearTimeout(timer));
}

function closed(cause: unknown): never {
  const why = toSvcError(cause).message;
  throw new SvcError(
    'database_unavailable',
    `The database is closed, because it cannot be opened again: ${why}
Put that right, and reload once more.`,
    { cause },
  );
}
