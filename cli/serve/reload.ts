import { reopen } from '../../adapters/node/reload/database.ts';
import type { ExchangeableDatabase } from '../../adapters/node/reload/exchangeable.ts';
import { createReloader, type Reloader } from '../../adapters/node/reload/reloader.ts';
import type { Database, Log } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { LazyPython } from '../project/python.ts';

/** What a reload exchanges and where the new values come from. */
export interface ServeReload {
  readonly database: ExchangeableDatabase;
  /** Those that hold; a reload that succeeds puts new ones here. */
  readonly held: { settings: Settings };
  /** Resolves references anew; the files themselves are not read again (spec, "What a reload re-reads"). */
  readonly loadSettings: () => Promise<Settings>;
  readonly open: (settings: Settings) => Promise<Database>;
  readonly python: Pick<LazyPython, 'reload'>;
  readonly log: Log;
}

/** Below the bound of a reload, so that what went wrong can be said. */
const DRAIN_MS = 45_000;

/** Everything that may fail is tried before anybody has to wait. */
export function createServeReloader({
  database,
  held,
  loadSettings,
  open,
  python,
  log,
}: ServeReload): Reloader {
  const apply = async (signal: AbortSignal) => {
    const next = await loadSettings();
    signal.throwIfAborted();
    const { settings: before } = held;
    held.settings = next;
    try {
      await python.reload();
      await database.exchange({
        drainMs: DRAIN_MS,
        make: (current) => reopen(current, { next: () => open(next), before: () => open(before), signal }),
      });
    } catch (thrown) {
      held.settings = before;
      // What has begun with the new values begins again; whether it can is not what is to be reported.
      await python.reload().catch(() => {});
      throw thrown;
    }
  };
  return createReloader({ apply, log, clock: Date });
}
