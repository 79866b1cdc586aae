import type { Leases } from '../../adapters/node/reload/leases.ts';
import { createReloader, type Reloader } from '../../adapters/node/reload/reloader.ts';
import type { Log } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { ServedGeneration } from './generation.ts';

/** The parts that a reload replaces, and the sources of the new values. */
export interface ServeReload {
  readonly leases: Leases<ServedGeneration>;
  /** Resolves references again. Of the files, only API keys are read again (spec, "What a reload re-reads"). */
  readonly loadSettings: () => Promise<Settings>;
  /** Opens the database beside the one in use; never creates one. */
  readonly open: (settings: Settings) => Promise<ServedGeneration>;
  /** Called with the new settings when new requests begin on them. */
  readonly onExchange: (settings: Settings) => void;
  readonly log: Log;
}

/** Makes the reloader of a server. All that may fail happens beside the parts in use, while they serve. */
export function createServeReloader({ leases, loadSettings, open, onExchange, log }: ServeReload): Reloader {
  const step = (message: string) => log({ level: 'debug', message: `reload: ${message}` });
  const apply = async (signal: AbortSignal) => {
    step('the configuration is resolved');
    const settings = await loadSettings();
    signal.throwIfAborted();
    step('the database is opened');
    const next = await open(settings);
    try {
      if (leases.current.usesPython()) await (await next.python()).start?.();
      signal.throwIfAborted();
    } catch (thrown) {
      await next.close();
      throw thrown;
    }
    step('new requests begin on the new parts');
    leases.exchange(next);
    onExchange(settings);
  };
  return createReloader({ apply, log, clock: Date });
}
