import type { Policies } from './policies.ts';

export const FOLDERS = [
  'tools',
  'resources',
  'prompts',
  'evals',
  'python',
  'plugins',
  'sql',
  'drift',
  'audit',
  'data',
] as const;

/** The project's folders, relative to its root without a slash at the end. */
export type Paths = { readonly [name in (typeof FOLDERS)[number]]: string };

export const ENGINES = ['auto', 'wasm', 'native'] as const;

/** What a process needs to know of the site: the active profile's database, defaults filled in. */
export interface Site {
  readonly project: string;
  readonly profile: string;
  /** The path is relative to the root, or absolute. */
  readonly database: {
    readonly path: string;
    readonly readonly: boolean;
    readonly engine: (typeof ENGINES)[number];
    /** As it is written, with its unit; null: as much as the engine sees fit. */
    readonly memoryLimit: string | null;
    /** The project's SQL reaches nothing but the database, whatever the extensions are for. */
    readonly sandbox: boolean;
  };
}

/** What becomes of calls that cannot be recorded. */
export const ON_AUDIT_ERROR = ['block', 'warn'] as const;

/** How calls are recorded. */
export interface AuditSettings {
  readonly enabled: boolean;
  /** Relative to the root, or absolute. */
  readonly path: string;
  readonly maxFileSize: number;
  /** Null: nothing is deleted by itself. */
  readonly retentionDays: number | null;
  readonly onError: (typeof ON_AUDIT_ERROR)[number];
  /** Whether records hold the parameters, and the results, of calls. */
  readonly inputs: boolean;
  readonly outputs: boolean;
}

/** A profile as it is written. */
export interface SiteProfile {
  readonly database?: {
    readonly path?: string;
    readonly readonly?: boolean;
    readonly engine?: (typeof ENGINES)[number];
    readonly memory_limit?: string;
    readonly sandbox?: boolean;
  };
  readonly python?: { readonly interpreter?: string };
  readonly drift?: { readonly path?: string };
  readonly audit?: {
    readonly enabled?: boolean;
    readonly path?: string;
    readonly max_file_size?: number;
    readonly retention_days?: number;
    readonly on_error?: (typeof ON_AUDIT_ERROR)[number];
    readonly inputs?: boolean;
    readonly outputs?: boolean;
  };
}

export const EXTENSION_REPOS = ['core', 'core_nightly', 'community'] as const;

/** A database extension; without `repo` it is a core extension. */
export interface Extension {
  readonly name: string;
  readonly repo?: (typeof EXTENSION_REPOS)[number];
}

/** Where dbt finds and puts its files. */
export interface Dbt {
  readonly enabled: boolean;
  readonly model_paths: readonly string[];
  readonly analysis_paths: readonly string[];
  readonly test_paths: readonly string[];
  readonly seed_paths: readonly string[];
  readonly macro_paths: readonly string[];
  readonly snapshot_paths: readonly string[];
  readonly target_path: string;
  readonly clean_targets: readonly string[];
}

export const SQL_TOOLS = ['execute_sql_query', 'list_tables', 'get_table_schema'] as const;
export type SqlToolName = (typeof SQL_TOOLS)[number];

/** The built-in SQL tools: whether they are served, the descriptions that replace their own, and their policies. */
export interface SqlTools {
  readonly enabled: boolean;
  readonly descriptions: { readonly [name in SqlToolName]?: string };
  readonly policies: { readonly [name in SqlToolName]?: Policies };
}

/** A Python plugin as it is written. */
export interface Plugin {
  readonly name: string;
  readonly module: string;
  readonly config?: string;
}

/** The whole site file after checking, with its defaults filled in (spec, "Site configuration file"). */
export interface SiteFile extends Site {
  readonly paths: Paths;
  /** Of Python endpoints, as it is written; null: the project's own environment, or what the machine has. */
  readonly python: { readonly interpreter: string | null };
  readonly drift: { readonly path: string };
  readonly audit: AuditSettings;
  readonly extensions: readonly Extension[];
  readonly dbt: Dbt | null;
  readonly sqlTools: SqlTools;
  /** Names of the secrets the project needs. */
  readonly secrets: readonly string[];
  readonly plugins: readonly Plugin[];
  /** All profiles as they are written. */
  readonly profiles: { readonly [name: string]: SiteProfile };
}
