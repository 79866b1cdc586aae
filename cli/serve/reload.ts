import type { Generation, Leases } from '../../adapters/node/reload/leases.ts';
import { createReloader, type Reloader } from '../../adapters/node/reload/reloader.ts';
import { openOnce } from '../../src/call/runtime.ts';
import type { Database, Log } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import { lazyPython } from '../project/open.ts';
import type { CheckedProject } from '../project/project.ts';

/** The parts of a server that a reload makes anew. */
export interface ServedGeneration extends Generation {
  readonly settings: Settings;
  readonly opened: Database;
  readonly python: NonNullable<Generation['python']>;
  /** Whether Python is open. */
  usesPython(): boolean;
  /** Ends Python, if it is open. `close` does the same. */
  endPython(): Promise<void>;
}

/** The project, the log, and whether the next call loads changed Python files. */
interface GenerationDeps {
  readonly checked: CheckedProject;
  readonly log: Log;
  readonly follow: boolean;
}

/** Puts an opened database and a Python that the first call opens together with the settings of both. */
export function createGeneration(
  settings: Settings,
  opened: Database,
  { checked, log, follow }: GenerationDeps,
): ServedGeneration {
  const database = async () => opened;
  const python = lazyPython(checked, { settings: () => settings, database, log, follow });
  return {
    settings,
    opened,
    database,
    python: openOnce(python.open),
    usesPython: () => python.opened,
    endPython: python.close,
    close: async () => {
      // `@on_shutdown` may use the database.
      await python.close();
      await opened.close();
    },
  };
}

/** The parts that a reload replaces, and the sources of the new values. */
interface ServeReload {
  readonly leases: Leases<ServedGeneration>;
  /** Resolves references again. Of the files, only API keys are read again (spec, "What a reload re-reads"). */
  readonly loadSettings: () => Promise<Settings>;
  /** Opens the database beside the one in use; never creates one. */
  readonly open: (settings: Settings) => Promise<ServedGeneration>;
  /** The files of Python endpoints, which are loaded before new requests begin. */
  readonly pythonFiles: readonly string[];
  /** Called with the new settings when new requests begin on them. */
  readonly onExchange: (settings: Settings) => void;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
  readonly log: Log;
  /** Milliseconds for the loading of Python files. Default: 30,000. */
  readonly loadMs?: number;
}

/** Less than a reload may take, so that a file which does not load cannot make each reload fail. */
const LOAD_MS = 30_000;

/** Makes the reloader of a server. All that may fail happens beside the parts in use, while they serve. */
export function createServeReloader(options: ServeReload): Reloader {
  const { leases, loadSettings, open, pythonFiles, onExchange, stopping, log, loadMs = LOAD_MS } = options;
  const step = (message: string) => log({ level: 'debug', message: `reload: ${message}` });
  /** Files that are not loaded in time are loaded by their first call, as at the start. */
  const startPython = async (next: ServedGeneration, signal: AbortSignal) => {
    const python = await next.python();
    await python.start?.();
    step('the Python files are loaded');
    await python.warm?.(pythonFiles, AbortSignal.any([signal, stopping, AbortSignal.timeout(loadMs)]));
  };
  const apply = async (signal: AbortSignal) => {
    step('the configuration is resolved');
    const settings = await loadSettings();
    signal.throwIfAborted();
    step('the database is opened');
    const next = await open(settings);
    try {
      if (leases.current.usesPython()) await startPython(next, signal);
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
