import { waitUntil } from 'cloudflare:workers';
import type { Database } from '../../src/ports.ts';

/** Lets work end although its request has ended, up to the time that the platform allows. */
export function keepAlive<T>(work: Promise<T>): Promise<T> {
  waitUntil(work.catch(() => {}));
  return work;
}

/**
 * Runs each call to its end even if its client leaves. The platform would drop the call without running its `finally`,
 * and an engine may be suspended on a read of that request.
 */
export function keptAlive(database: Database): Database {
  const { engine, readonly, unchanging = false } = database;
  return {
    engine,
    readonly,
    unchanging,
    run: (request, call) => keepAlive(database.run(request, call)),
    prepare: (sql, mode) => keepAlive(database.prepare(sql, mode)),
    close: () => database.close(),
  };
}
