import type { DatabaseSecret } from '../adapters/duckdb-native/options.ts';
import type { Database } from '../src/ports.ts';
import type { Finding } from '../src/project/finding.ts';
import type { Allowed } from '../src/quality/gate/report.ts';
import type { CallerOptions } from './callers.ts';
import type { LoadedTable, LoadOptions } from './load-tables.ts';
import type { Architecture } from './native/architecture.ts';
import type { OnUnfinished } from './replace-folder.ts';
import type { SortedTable } from './sort-tables.ts';
import type { BuiltFile } from './targets/target.ts';
import type { EngineName } from './targets/targets.ts';

/** The project to build, the platform, and the choices of the person who builds. */
export interface BuildOptions extends CallerOptions {
  /** The project's folder. */
  readonly root: string;
  /** Default: `build/<target>` in the project. */
  readonly out?: string;
  readonly profile?: string;
  /** The engine of the artefact. Default: wasm. */
  readonly engine?: EngineName;
  /** The processor of a native artefact. Default: the target's own. */
  readonly arch?: Architecture;
  /** The place of a database that is read by ranges, as in the manifest. Default: the platform's, if it is large. */
  readonly store?: string;
  /** The secrets of the profile, with which the build opens remote data. */
  readonly secrets?: readonly DatabaseSecret[];
  /** A user file to put into the artefact; it may hold references, but no secrets. Default: none. */
  readonly config?: string;
  /** Files that become tables of the artefact's database; the project's own database does not change. */
  readonly load?: LoadOptions;
  /** Tables to write in another order; the project's own database does not change. */
  readonly sort?: readonly SortedTable[];
  /** Whether to build Python endpoints for a platform that runs them only as an experiment. */
  readonly experimentalPython?: boolean;
  /** Whether to continue if the project needs something that no artefact can do. */
  readonly incapable?: boolean;
  /**
   * Checks the database as the artefact will serve it, and returns the failed checks that were allowed. Throws if a
   * check forbids the build. Default: plan every statement.
   */
  readonly inspect?: (database: Database) => Promise<readonly Allowed[]>;
  /** Receives the folders that the build should leave behind only if it finishes them, e.g. to delete them on a signal. */
  readonly onUnfinished?: OnUnfinished;
  /** Receives the name of each step before it begins. */
  readonly onStep?: (step: string) => void;
}

/** A finished artefact: plain JSON. */
export type BuildResult = {
  readonly out: string;
  readonly files: readonly BuiltFile[];
  /** The content hash that the server shows. */
  readonly hash: string;
  /** The callers in one line. */
  readonly callers: string;
  /** The command that deploys it. */
  readonly next: string;
  /** The tables that were filled from files. */
  readonly loaded?: readonly LoadedTable[];
  /** Parts of the project that may not work on the platform. */
  readonly warnings?: readonly { readonly [key in keyof Finding]: Finding[key] }[];
};
