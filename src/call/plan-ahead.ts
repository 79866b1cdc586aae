import type { Runtime } from './runtime.ts';
import { isSql } from './sql.ts';

/** Statements differ little in the code that plans them, so a few are enough. */
const MOST_PLANNED = 3;

/**
 * Plans a few statements of the project before the first call. V8 compiles a function of the wasm engine when it first runs,
 * and half of the time of the first call is compilation for planning. Runs nothing, waits for no network, and never throws: a call
 * reports what is wrong with its statement.
 */
export async function planAhead({ catalog, database }: Pick<Runtime, 'catalog' | 'database'>): Promise<void> {
  const reads = Object.values(catalog.tools).flatMap((entry) => {
    const own = isSql(entry) && entry.source.mode === 'read' && entry.source.statement === undefined;
    return own ? [entry.source.sql] : [];
  });
  try {
    const opened = await database();
    // Planning reads the data of a database that may change, such as one in a store.
    if (opened.unchanging !== true) return;
    for (const sql of reads.slice(0, MOST_PLANNED)) await opened.prepare(sql, 'read');
  } catch {
    // The call that needs the statement or the database gets the error.
  }
}
