import type { Path, Position } from '../../project/yaml/position.ts';

/** A contradiction between the parts of an endpoint. */
export interface CatalogIssue {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  /** Keys from the endpoint down. */
  readonly path: Path;
  /** The place of the issue if it is in another file or inside a node. */
  readonly place?: Position & { readonly file: string };
  /** The endpoint is served in spite of the issue (`Finding.served`). */
  readonly served?: true;
}
