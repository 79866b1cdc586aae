import { type ExchangeableDatabase, exchangeDatabase } from '../../adapters/node/reload/exchangeable.ts';
import { createReloader, type Reloader } from '../../adapters/node/reload/reloader.ts';
import type { Database, Log } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { LazyPython } from '../project/python.ts';

/** The parts that a reload replaces, and the sources of the new values. */
export interface ServeReload {
  readonly database: ExchangeableDatabase;
  /** The settings in use. A successful reload replaces them. */
  readonly held: { settings: Settings };
  /** Resolves references again. The files themselves are not read again (spec, "What a reload re-reads"). */
  readonly loadSettings: () => Promise<Settings>;
  readonly open: (settings: Settings) => Promise<Database>;
  readonly python: Pick<LazyPython, 'reload'>;
  readonly log: Log;
}

/** Less than the time limit of a reload, so that an error can still be reported. */
const DRAIN_MS = 45_000;

/** Makes the reloader of a server. It tries everything that may fail before calls have to wait. */
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
      await exchangeDatabase(database, {
        openNext: () => open(next),
        openPrevious: () => open(before),
        drainMs: DRAIN_MS,
        signal,
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
