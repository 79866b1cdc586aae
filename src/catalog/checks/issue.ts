import type { Path, Position } from '../../project/yaml/position.ts';

/** A problem between the parts of an endpoint. */
export interface CatalogIssue {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  /** Keys from the endpoint down. */
  readonly path: Path;
  /** Where the problem is not in the endpoint's own file, or not at the beginning of a node. */
  readonly place?: Position & { readonly file: string };
}
