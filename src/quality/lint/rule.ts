import type { Finding } from '../../project/finding.ts';
import type { Path } from '../../project/yaml/position.ts';

/** What is missing at a place of an endpoint. */
export interface Remark {
  readonly severity: Finding['severity'];
  readonly code: string;
  /** Keys from the endpoint down, to the node that lacks something. */
  readonly path: Path;
  readonly message: string;
  readonly fix: string;
}
