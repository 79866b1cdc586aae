import type { Runtime } from '../../src/call/runtime.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { CheckedProject } from './project.ts';

/** A project while a server serves it. A reload and `svc dev` replace its parts. */
export interface RunningProject {
  readonly settings: Settings;
  readonly runtime: Runtime;
  /** The files that are served. */
  readonly checked: CheckedProject;
  /** The files as they are now, also if they cannot be served. */
  readonly looked: CheckedProject;
}
