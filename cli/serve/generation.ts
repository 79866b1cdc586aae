import type { Generation } from '../../adapters/node/reload/leases.ts';
import { openOnce } from '../../src/call/runtime.ts';
import type { Database, Log } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { CheckedProject } from '../project/project.ts';
import { lazyPython } from '../project/python.ts';

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
export interface GenerationDeps {
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
