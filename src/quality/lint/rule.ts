import type { Finding } from '../../project/finding.ts';
import type { Path } from '../../project/yaml/position.ts';

/** A missing text at a path of an endpoint. */
export interface Remark {
  readonly severity: Finding['severity'];
  readonly code: string;
  /** Keys from the endpoint to the incomplete node. */
  readonly path: Path;
  readonly message: string;
  readonly fix: string;
}
