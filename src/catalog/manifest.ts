import { SvcError } from '../errors.ts';
import { tryJson } from '../json.ts';
import type { AuditSettings } from '../project/site-model.ts';
import type { Catalog } from './model.ts';

/** What `svc build` writes and every built server starts from: the same bytes on every platform, no secrets. */
export interface Manifest {
  /** Version of this format. */
  readonly svc: 1;
  /** Version of the toolkit that wrote it. */
  readonly version: string;
  /** Content hash over the catalog, the database file, what is below, and the bundled user file, hex. */
  readonly hash: string;
  /** The name is that of the project's own file: views and macros name their catalog, which is called like it. */
  readonly database: { readonly name: string; readonly bytes: number; readonly sha256: string };
  /** The profile it was built for. */
  readonly profile: string;
  /** Names of the secrets that the project needs. */
  readonly secrets: readonly string[];
  /** How the profile records calls. */
  readonly audit: AuditSettings;
  readonly catalog: Catalog;
  /** Checks that failed when it was built and were let pass, each with the number of its problems. */
  readonly allowed?: readonly { readonly check: string; readonly problems: number }[];
  /** Only of projects with Python endpoints. */
  readonly python?: {
    /** `paths.python` of the site file. */
    readonly folder: string;
  };
}

/** Reads a manifest; throws config_invalid for anything that is not one of this version. */
export function parseManifest(text: string): Manifest {
  const found = tryJson(text);
  if (isManifest(found)) return found;
  throw new SvcError(
    'config_invalid',
    'manifest.json is damaged or of another version; build the project again with `svc build`.',
  );
}

/** The catalog as a built server shows it: under the hash of the whole artefact. */
export function toServedCatalog({ catalog, hash }: Manifest): Catalog {
  return { ...catalog, hash };
}

function isManifest(found: unknown): found is Manifest {
  if (typeof found !== 'object' || found === null) return false;
  return 'svc' in found && found.svc === 1 && 'hash' in found && 'catalog' in found && found.catalog !== null;
}
