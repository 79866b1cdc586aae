import type { DuckDBPreparedStatement } from '@duckdb/node-api';
import { tracked } from '../driver/process-exit.ts';

/**
 * Statements whose upload failed. Destroying one tries the upload again, on this thread, for as long as the server does
 * not answer. They are kept until another write succeeds.
 */
const unfinished: (() => void)[] = [];
/** The most that are kept, because each keeps the data that it could not upload. */
const MOST = 16;

/** Destroys a statement whose upload failed, when a later write has shown that uploads succeed again. */
export function destroyLater(statement: DuckDBPreparedStatement): void {
  if (unfinished.length >= MOST) unfinished.shift()?.();
  const destroy = statement.destroySync.bind(statement);
  // A connection that closes destroys its statements, and a process that exits all of them.
  statement.destroySync = () => {};
  const { promise, resolve } = Promise.withResolvers<void>();
  void tracked(null, () => promise);
  unfinished.push(() => {
    destroy();
    resolve();
  });
}

/** Destroys the statements that `destroyLater` has kept. */
export function destroyUnfinished(): void {
  for (const destroy of unfinished.splice(0)) destroy();
}
