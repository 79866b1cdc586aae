import { SvcError } from '../errors.ts';
import { tryJson } from '../json.ts';
import type { Attachment } from '../project/attachment.ts';
import type { Extension } from '../project/extension.ts';
import type { AuditSettings } from '../project/site-model.ts';
import type { Catalog } from './model.ts';

/**
 * The manifest that `svc build` writes and every artefact reads at
 * its start. It has the same bytes on every platform and no secrets.
 */
export interface Manifest {
  /** Version of this file format. */
  readonly svc: 1;
  /** Version of svc that wrote it. */
  readonly version: string;
  /** Hash over the catalog, the database file, the fields below and the bundled user file, in hex. */
  readonly hash: string;
  /** The name is that of the project's database file, because views and macros refer to it as their catalog. */
  readonly database: {
    readonly name: string;
    readonly bytes: number;
    readonly sha256: string;
    /** The options of `svc build` that changed the copy of the project's file; absent if it is unchanged. */
    readonly changedBy?: readonly ('--load' | '--sort')[];
    /** Present only if the database is read by ranges. */
    readonly remote?: RemoteDatabase;
  };
  /** The profile of the build. */
  readonly profile: string;
  /** Names of the secrets that the project needs. */
  readonly secrets: readonly string[];
  /** The callers: the sign-in, e.g. `sign-in with Keycloak`, or null, and whether everybody may call on purpose. */
  readonly access: { readonly signIn: string | null; readonly public: boolean };
  /** The audit settings of the profile. */
  readonly audit: AuditSettings;
  readonly catalog: Catalog;
  /** Failed checks that the build allowed, each with its number of problems. */
  readonly allowed?: readonly { readonly check: string; readonly problems: number }[];
  /** The memory limit of queries, in megabytes; without it, the platform's. */
  readonly memoryMb?: number;
  /** Present only in artefacts with the native engine. */
  readonly native?: NativeManifest;
  /** Present only in projects with Python endpoints. */
  readonly python?: {
    /** `paths.python` of the site file. */
    readonly folder: string;
  };
}

/** A database that an artefact reads by ranges. */
export interface RemoteDatabase {
  /** `r2` or `assets` of a Worker, or the address of a folder: `s3://bucket/folder`, `https://host/folder`. */
  readonly store: string;
  /** The key of the object there. It contains a part of the file's digest, so versions lie side by side. */
  readonly key: string;
  /** The SHA-256 of each block, joined, in base64url. */
  readonly digests: string;
  /** The numbers of each column's blocks in the order of its rows, each as the distance from the one before. */
  readonly columns: readonly (readonly number[])[];
}

/** How an artefact with the native engine opens its database. The name `:memory:` means that there is no file. */
export interface NativeManifest {
  /** The processor of its driver and extensions. */
  readonly arch: 'x86_64' | 'arm64';
  readonly readonly: boolean;
  /** Whether the project's SQL reaches files and the network. */
  readonly external: boolean;
  /** The statements that run in a process of their own, as the profile says; without it, none. */
  readonly isolated?: 'all' | 'callers';
  readonly extensions: readonly Extension[];
  readonly attach: readonly Attachment[];
  /** The attached database that unqualified names mean. */
  readonly use: string | null;
}

/** Parses a manifest. Throws config_invalid for other content and for other versions. */
export function parseManifest(text: string): Manifest {
  const found = tryJson(text);
  if (isManifest(found)) return found;
  throw new SvcError(
    'config_invalid',
    'manifest.json is damaged, or another version of svc wrote it. Build the project again with `svc build`.',
  );
}

/** The catalog that an artefact serves. Its hash is that of the whole artefact. */
export function toServedCatalog({ catalog, hash }: Manifest): Catalog {
  return { ...catalog, hash };
}

/** Whether a text is a manifest of some version of svc, which may lack what this version needs. */
export function isAnyManifest(text: string): boolean {
  const found = tryJson(text);
  return (
    typeof found === 'object' && found !== null && 'svc' in found && 'hash' in found && 'catalog' in found
  );
}

function isManifest(found: unknown): found is Manifest {
  if (typeof found !== 'object' || found === null) return false;
  const complete = ['hash', 'access', 'catalog'].every((key) => key in found);
  return complete && 'svc' in found && found.svc === 1 && 'catalog' in found && found.catalog !== null;
}
