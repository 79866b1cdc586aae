import type { TargetName } from '../../deploy/targets/targets.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import type { Database } from '../../src/ports.ts';
import type { CheckName } from '../../src/quality/gate/report.ts';
import type { CheckedProject } from '../project/project.ts';

/** The project and the database as the artefact serves it. */
export interface ServedEndpoints {
  readonly checked: CheckedProject;
  readonly catalog: Catalog;
  readonly database: Database;
  readonly target: TargetName;
  readonly allowed: readonly CheckName[];
}
