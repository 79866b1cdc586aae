import type { Observers } from '../../adapters/node/observers.ts';
import type { Leases } from '../../adapters/node/reload/leases.ts';
import type { Reloader } from '../../adapters/node/reload/reloader.ts';
import type { LiveCalls } from '../../src/admin/live-calls.ts';
import type { App } from '../../src/app.ts';
import type { Changes } from '../../src/mcp/changes.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { RunningProject } from '../project/running.ts';
import type { BannerDetails } from './banner.ts';
import type { ServedGeneration } from './reload.ts';

/** A project that is ready to be served. */
export interface Started extends RunningProject {
  /** Wraps an app so that the log names its requests. */
  readonly around: (app: App) => App;
  readonly leases: Leases<ServedGeneration>;
  readonly watch: Observers;
  /** The latest calls with their steps, for the workbench; null if there is none. */
  readonly live: LiveCalls | null;
  readonly reloader: Reloader;
  /** Applies the current settings, and those of every later reload. */
  readonly followSettings: (apply: (settings: Settings) => void) => void;
  /** Notifies clients of changed resources, and of changed lists. */
  readonly changes: Changes;
  /** Whether the lists may change while it runs. */
  readonly listsChange: boolean;
  /** An absolute path. */
  readonly databasePath: string;
  readonly serving: Omit<BannerDetails, 'url' | 'transport'>;
  close(): Promise<void>;
}
