import type { Attachment } from './attachment.ts';
import type { Extension } from './extension.ts';
import type { EndpointLimits, Policies } from './model.ts';

/** The site file's name, in the root of every project. */
export const SITE_NAME = 'svc-site.yml';

export const FOLDERS = [
  'tools',
  'resources',
  'prompts',
  'skills',
  'evals',
  'python',
  'plugins',
  'sql',
  'drift',
  'audit',
  'data',
] as const;

/** The folders of a project whose site file names none. */
export const DEFAULT_PATHS = Object.fromEntries(FOLDERS.map((name) => [name, name])) as Paths;

/** The project's folders, relative to its root, without a trailing slash. */
export type Paths = { readonly [name in (typeof FOLDERS)[number]]: string };

export const ENGINES = ['auto', 'wasm', 'native'] as const;

/** The forms of the schemas that clients see, beside plain JSON Schema. */
export const SCHEMA_PROFILES = ['gemini'] as const;
export type SchemaProfile = (typeof SCHEMA_PROFILES)[number];

/** The process of the native engine. `auto` gives it a process of its own if callers write SQL. */
export const ISOLATIONS = ['auto', 'process', 'none'] as const;

/** The part of the site file that a process needs: the active profile's database, with defaults. */
export interface Site {
  readonly project: string;
  readonly profile: string;
  /** The path is absolute or relative to the root. */
  readonly database: {
    readonly path: string;
    readonly readonly: boolean;
    readonly engine: (typeof ENGINES)[number];
    readonly isolation: (typeof ISOLATIONS)[number];
    /** As written, with its unit; null lets the engine decide. */
    readonly memoryLimit: string | null;
    /** If true, the project's SQL reaches only the database, regardless of extensions. */
    readonly sandbox: boolean;
    /** Databases beside this one, as written. */
    readonly attach: readonly Attachment[];
    /** The attached database that unqualified names mean; null for the project's own. */
    readonly use: string | null;
  };
}

/** The fate of calls that cannot be recorded. */
export const ON_AUDIT_ERROR = ['block', 'warn'] as const;

/** The settings of the audit log. */
export interface AuditSettings {
  readonly enabled: boolean;
  /** Absolute or relative to the root. */
  readonly path: string;
  readonly maxFileSize: number;
  /** Null if rotated files are never deleted automatically. */
  readonly retentionDays: number | null;
  readonly onError: (typeof ON_AUDIT_ERROR)[number];
  /** Whether records contain the parameters and the results of calls. */
  readonly inputs: boolean;
  readonly outputs: boolean;
}

/** A profile as written in the file. */
export interface SiteProfile {
  readonly database?: {
    readonly path?: string;
    readonly readonly?: boolean;
    readonly engine?: (typeof ENGINES)[number];
    readonly isolation?: (typeof ISOLATIONS)[number];
    readonly memory_limit?: string;
    readonly sandbox?: boolean;
    readonly attach?: readonly Attachment[];
    readonly use?: string;
  };
  readonly extensions?: readonly Extension[];
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

/** The folders of dbt. */
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

/** A table or view that SQL tools may see. With several rules for one, the first whose `to` is true counts. */
export interface TableRule {
  /** As `list_tables` shows it. */
  readonly name: string;
  /** A condition over `user`; absent for every caller. */
  readonly to?: string;
  /** A condition over columns and `user`; absent for all rows. */
  readonly rows?: string;
  readonly hide?: readonly string[];
  readonly mask?: readonly string[];
}

/** The built-in SQL tools: whether they are served and see attached databases, their policies, and descriptions that replace the default ones. */
export interface SqlTools {
  readonly enabled: boolean;
  readonly attached: boolean;
  readonly descriptions: { readonly [name in SqlToolName]?: string };
  readonly policies: { readonly [name in SqlToolName]?: Policies };
  /** Null if every table and view is visible. */
  readonly tables: readonly TableRule[] | null;
}

/** A Python plugin as written in the file. */
interface Plugin {
  readonly name: string;
  readonly module: string;
  readonly config?: string;
}

/** The whole checked site file with defaults (spec, "Site configuration file"). */
export interface SiteFile extends Site {
  readonly paths: Paths;
  /** For Python endpoints, as written; null selects the project's own environment, then the machine's Python. */
  readonly python: { readonly interpreter: string | null };
  readonly drift: { readonly path: string };
  readonly audit: AuditSettings;
  /** Those of the project, then those of the active profile. */
  readonly extensions: readonly Extension[];
  readonly dbt: Dbt | null;
  readonly sqlTools: SqlTools;
  /** Whether clients see the tools `search` and `call` in place of all tools. */
  readonly toolSearch: boolean;
  /** The form of the schemas that clients see; null for plain JSON Schema. */
  readonly schemaProfile: SchemaProfile | null;
  /** Limits of every endpoint that has no own. */
  readonly limits: Pick<EndpointLimits, 'scan_rows' | 'scan_bytes'>;
  /** Names of the secrets that the project needs. */
  readonly secrets: readonly string[];
  readonly plugins: readonly Plugin[];
  /** All profiles as written in the file. */
  readonly profiles: { readonly [name: string]: SiteProfile };
}

/** The path of an extension in the site file, by its index in the list of the active profile. */
export function extensionPath(
  { extensions, profile, profiles }: Pick<SiteFile, 'extensions' | 'profile' | 'profiles'>,
  index: number,
): readonly (string | number)[] {
  const own = extensions.length - (profiles[profile]?.extensions?.length ?? 0);
  return index < own ? ['extensions', index] : ['profiles', profile, 'extensions', index - own];
}
