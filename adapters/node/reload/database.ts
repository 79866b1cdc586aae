import { SvcError, toSvcError } from '../../../src/errors.ts';
import type { Database } from '../../../src/ports.ts';
import type { Exchanged } from './exchangeable.ts';

/** Opens the database: with the values that hold now, or with those that held before. */
export interface Openers {
  readonly next: () => Promise<Database>;
  readonly before: () => Promise<Database>;
}

/**
 * A database opened anew. One that only reads is opened beside the old one, so a failure costs nothing; a file takes
 * one writer only, so one that writes is closed first, and opened as it was when the new values do not do.
 */
export async function reopen(current: Database, { next, before }: Openers): Promise<Exchanged> {
  if (!current.readonly) return reopenAlone(current, { next, before });
  const database = await next();
  await current.close();
  return { database, failure: null };
}

async function reopenAlone(current: Database, { next, before }: Openers): Promise<Exchanged> {
  await current.close();
  try {
    return { database: await next(), failure: null };
  } catch (thrown) {
    return { database: await before().catch(closed), failure: toSvcError(thrown) };
  }
}

function closed(cause: unknown): never {
  throw new SvcError('database_unavailable', 'The database cannot be opened again.', { cause });
}
