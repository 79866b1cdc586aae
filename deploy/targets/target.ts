import { createHash } from 'node:crypto';
import type { Finding } from '../../src/project/finding.ts';
import type { Architecture } from '../native/architecture.ts';
import type { Preview, PreviewOptions } from '../preview/process.ts';
import type { ProjectPackage } from '../project-package.ts';
import type { CarriedPython } from '../python/carried-python.ts';
import type { TokenTable } from '../variables.ts';

/** The user file of an artefact. */
export const CONFIG_FILE = 'config.yml';

/** The bill of materials and the licences that every artefact contains. */
export const MATERIALS = { bom: 'sbom.cdx.json', licenses: 'THIRD-PARTY-LICENSES.txt' } as const;

/** The database that is uploaded to a store. No platform's tool takes it for a part of the program. */
export const UPLOADED_DATABASE = 'upload/data.duckdb';

/** The folders that an artefact has for Python endpoints. */
export const PYTHON_FOLDERS = ['project', 'pyodide', 'python-host'] as const;

/** Facts about a project that a platform's own files depend on. */
export interface ProjectFacts {
  readonly project: string;
  /** The callers in one line, e.g. `sign-in with Keycloak`. */
  readonly callers: string;
  /** Version of the toolkit. */
  readonly version: string;
  /** The facts of the project's `package.json`. */
  readonly about?: ProjectPackage;
  /** Whether the artefact has a user file. */
  readonly config?: boolean;
  /** The variables that the user file needs for the profile of the build, sorted. */
  readonly variables?: readonly string[];
  /** The DynamoDB table of tokens that the user file names. */
  readonly tokenTable?: TokenTable | null;
  /** Whether the artefact has Python endpoints. */
  readonly python?: boolean;
  /** The database that is read by ranges; absent if the artefact contains it. */
  readonly remote?: RemoteFacts;
  /** Null or absent for the wasm engine. */
  readonly native?: NativeFacts | null;
}

/** The kinds of places that hold a database which an artefact reads by ranges. */
export type StoreKind = 'r2' | 'assets' | 's3' | 'https';

/** A database that is read by ranges. */
export interface RemoteFacts {
  /** As in the manifest. */
  readonly store: string;
  readonly key: string;
  readonly bytes: number;
}

/** The parts of a native artefact that a platform's own files depend on. */
export interface NativeFacts {
  readonly arch: Architecture;
  /** The folders with the driver, the extensions and the database, as far as the artefact has them. */
  readonly folders: readonly string[];
  /** The further programs. */
  readonly files?: readonly string[];
}

/** The program of the process that runs callers' statements in a native artefact. */
export const ENGINE_PROCESS = 'engine-process.js';

/** The folders of a native artefact: the driver, the extensions and the database. */
export const NATIVE_FOLDERS = ['native', 'extensions', 'database'] as const;

/** The content of each file to write, by the path in the artefact. */
export type Contents = { readonly [path: string]: string | Uint8Array };

/** The bundles to make. Maps the path in the artefact to the entry module below `adapters/`, without its extension. */
type BundleEntries = { readonly [path: string]: string };

/** One written file of the artefact; its path is relative to the folder. */
export type BuiltFile = { readonly path: string; readonly bytes: number };

/** One platform: `svc build` lays out its artefact, and `svc preview` runs it. */
export interface BuildTarget {
  /** The runtime whose built-in modules the bundles may import. */
  readonly runtime: 'node' | 'workerd';
  readonly bundles: BundleEntries;
  /** The bundles with the native engine. */
  readonly nativeBundles: BundleEntries;
  /** Path of the database in an artefact with the wasm engine. */
  readonly database: string;
  /** Present if the platform reads databases by ranges. */
  readonly remote?: {
    /** The kinds of stores that its code reads. */
    readonly stores: readonly StoreKind[];
    /** The size in bytes above which the first of them holds the database, unless the build names one. Null: never. */
    readonly above: number | null;
    /** The most ranges that one call may read. Null: no limit. */
    readonly mostRanges: number | null;
    /** The command that uploads the database before the artefact is deployed; null if it is deployed with it. */
    readonly upload: (project: string, facts: RemoteFacts) => string | null;
  };
  /** Warns of keys that the project's `package.json` lacks for this platform. Default: nothing. */
  readonly check?: (about: ProjectPackage) => readonly Finding[];
  /** The files that the platform's own tools deploy by, and a README. */
  readonly files: (facts: ProjectFacts) => { readonly [path: string]: string };
  /** Takes over what people have added to these files in the older artefact. Default: nothing. */
  readonly keep?: (files: Contents, older: string) => Promise<Contents>;
  /** Additions for a project with Python endpoints. */
  readonly python: {
    readonly bundles: BundleEntries;
    readonly files: (python: CarriedPython, facts: ProjectFacts) => Promise<Contents>;
    /** The command that deploys such an artefact, if it differs. */
    readonly next?: string;
  };
  /** Runs last, over the written folder. It may add files, such as an archive, and throws if a limit is exceeded. */
  readonly finish: (folder: string, files: readonly BuiltFile[]) => Promise<void>;
  /** The command that deploys the artefact, inside its folder. */
  readonly next: string | ((project: string) => string);
  /** Runs the artefact on this machine as the platform would. */
  readonly preview: (options: PreviewOptions) => Promise<Preview>;
}

/** Formats a number of bytes for people, e.g. `25.0 MiB`. */
export function toMiB(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

/** The folder of a database whose blocks are static assets. Each file is named by the number of its block. */
export const BLOCKS_FOLDER = 'assets/blocks';

/**
 * Converts a project's name to a form that platforms accept: lower case, digits and dashes, 2 to 50 characters, a
 * letter first. If no letter of the name is left, its digest keeps two projects apart.
 */
export function toDeploymentName(project: string): string {
  const plain = project
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 50)
    .replace(/-+$/, '');
  if (plain.length > 1) return plain;
  return `server-${plain === '' ? digestOf(project) : plain}`;
}

/** Eight hexadecimal digits that keep names apart. */
export function digestOf(name: string): string {
  return createHash('sha256').update(name.normalize('NFC')).digest('hex').slice(0, 8);
}
