import { reopen } from '../../adapters/node/reload/database.ts';
import type { ExchangeableDatabase } from '../../adapters/node/reload/exchangeable.ts';
import { createReloader, type Reloader } from '../../adapters/node/reload/reloader.ts';
import type { Database, Log } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';

/** What a reload exchanges and where the new values come from. */
export interface ServeReload {
  readonly database: ExchangeableDatabase;
  /** Those that hold when the server starts. */
  readonly settings: Settings;
  /** Resolves references anew; the files themselves are not read again (spec, "What a reload re-reads"). */
  readonly loadSettings: () => Promise<Settings>;
  readonly open: (settings: Settings) => Promise<Database>;
  readonly log: Log;
}

/** Below the bound of a reload, so that what went wrong can be said. */
const DRAIN_MS = 45_000;

/** Everything that may fail is tried before anybody has to wait. */
export function createServeReloader({ database, settings, loadSettings, open, log }: ServeReload): Reloader {
  let current = settings;
  const apply = async () => {
    const next = await loadSettings();
    await database.exchange({
      drainMs: DRAIN_MS,
      make: (before) => reopen(before, { next: () => open(next), before: () => open(current) }),
    });
    current = next;
  };
  const reloader = createReloader({ apply, log, clock: Date });
  process.on('SIGHUP', () => void reloader.request());
  return reloader;
}
