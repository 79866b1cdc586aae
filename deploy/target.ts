/** The platforms `svc build` writes for. */
export const TARGET_NAMES = ['node', 'aws-lambda', 'cloudflare-workers'] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

/** The user file of an artefact. */
export const CONFIG_FILE = 'config.yml';

/** Bill of materials and licences: they go with every artefact. */
export const MATERIALS = { bom: 'sbom.cdx.json', licenses: 'THIRD-PARTY-LICENSES.txt' } as const;

/** What a platform's own files are made from. */
export interface ProjectFacts {
  readonly project: string;
  /** Version of the toolkit. */
  readonly version: string;
  /** Whether the artefact has a user file. */
  readonly config?: boolean;
  /** Whether the artefact has Python endpoints. */
  readonly python?: boolean;
}

/** Folders of an artefact with Python endpoints. */
export const PYTHON_FOLDERS = ['project', 'pyodide', 'python-host'] as const;

/** One file of the artefact, its path relative to the folder. */
export type BuiltFile = { readonly path: string; readonly bytes: number };

/** How an artefact of one platform is laid out. */
export interface Target {
  /** Whose modules the bundles may import. */
  readonly runtime: 'node' | 'workerd';
  /** Bundle in the folder -> its entry below `adapters/`, without extension. */
  readonly bundles: { readonly [file: string]: string };
  /** The same, only of artefacts with Python endpoints; null: the platform runs no Python. */
  readonly pythonBundles: { readonly [file: string]: string } | null;
  /** Where the database goes. */
  readonly database: string;
  /** The platform's own files: path -> text. */
  readonly files: (facts: ProjectFacts) => { readonly [path: string]: string };
  /** Last step over the written folder: archives, limits; may add files. */
  readonly finish: (folder: string, files: readonly BuiltFile[]) => Promise<void>;
  /** How to deploy it, one command. */
  readonly next: string;
}

/** Bytes as people read them. */
export function toMiB(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
