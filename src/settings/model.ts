import type { User } from '../context.ts';
import type { SiteFile } from '../project/site-model.ts';
import type { TransportName } from '../transports.ts';
import type { GRANT_TYPES } from './schema/auth.ts';
import type { ProviderId, ProviderKeys } from './schema/providers.ts';
import type { LOG_FORMATS, LOG_LEVELS, MODEL_TYPES } from './schema/user.ts';
import type { SecretParameter } from './schema/values.ts';

/** A secret of the user file with resolved references (spec, "Secret definition"). */
export interface Secret {
  readonly name: string;
  readonly type: string;
  readonly parameters: { readonly [name: string]: SecretParameter };
}

/** The block of the chosen identity provider. Keys as in the file. */
export type ProviderBlock = Omit<
  ProviderKeys,
  'client_id' | 'client_secret' | 'callback_path' | 'claim_mappings'
> & {
  readonly id: ProviderId;
  readonly client_id: string;
  /** Null for a public client of Keycloak or another OpenID provider. */
  readonly client_secret: string | null;
  readonly callback_path: string;
  /** Maps a claim path and a claim value to capabilities, `role:<name>` and `permission:<name>`. */
  readonly claim_mappings?: { readonly [path: string]: { readonly [value: string]: readonly string[] } };
};

/** The authorization server whose tokens are accepted in `mode: verifier`. Keys as in the file. */
export interface VerifierBlock {
  readonly issuer: string;
  /** The accepted audiences of tokens. Empty: the address of the MCP endpoint. */
  readonly audience: readonly string[];
  /** The address of the discovery document, if the block `oidc` has one with a query. */
  readonly config_url?: string;
  readonly jwks_url?: string;
  readonly introspection_url?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly provider_name?: string;
  readonly claim_mappings?: ProviderBlock['claim_mappings'];
}

/** A preconfigured client (spec, "Static client fields"). */
export interface StaticClient {
  readonly client_id: string;
  readonly name: string;
  readonly client_secret: string | null;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly (typeof GRANT_TYPES)[number][];
  readonly scopes: readonly string[];
}

/** The people of a rule. A user needs to match only one entry of one list. A rule without entries matches no user. */
export interface Members {
  /** Verified email addresses. */
  readonly emails: readonly string[];
  /** Domains of verified email addresses; for Google, of Workspace accounts. */
  readonly domains: readonly string[];
  readonly groups: readonly string[];
  readonly organizations: readonly string[];
  /** Accepted values by the path of a claim. */
  readonly claims: { readonly [path: string]: readonly string[] };
}

/** A scope, and the people who hold it. */
export interface ScopeGrant {
  readonly scope: string;
  readonly to: Members;
}

/** A key with which a machine calls the server. Only its hash is known. */
export interface ApiKey {
  readonly name: string;
  /** SHA-256 of the key, in lower-case hex. */
  readonly hash: string;
  readonly scopes: readonly string[];
  /** The user whom policies, SQL and audit records see. */
  readonly user: User;
  /** The end of the key in milliseconds since 1970; null if it has none. */
  readonly expires: number | null;
}

/** `auth` of the active profile. */
export interface AuthSettings {
  readonly mode: 'issuer' | 'verifier';
  /** Null if `auth.provider` is none or `auth.mode` is verifier. */
  readonly provider: ProviderBlock | null;
  /** Null if `auth.mode` is issuer. */
  readonly verifier: VerifierBlock | null;
  /** The keys that seal tokens. The first key seals, every key opens. */
  readonly keys: readonly { readonly kid: string; readonly secret: string }[];
  /** Tokens issued before this time are rejected; milliseconds since 1970. */
  readonly not_before: number | null;
  readonly clients: readonly StaticClient[];
  /** SHA-256 of blocked client ids, in hex. */
  readonly blocked_clients: readonly string[];
  /** The people who may use the server. Null: everybody whom the provider signs in. */
  readonly allow: Members | null;
  readonly grants: readonly ScopeGrant[];
  readonly required_scopes: readonly string[];
  /** Null if machines have no keys. An empty list lets no machine in, and still counts as sign-in. */
  readonly api_keys: readonly ApiKey[] | null;
  /** Null if sessions are not stored. */
  readonly persistence: Persistence | null;
  readonly hide_credential_headers: boolean;
  /** Whether everybody may call a server without sign-in, also from other machines. */
  readonly public: boolean;
}

/** The store of sessions: a file on Node, a table on AWS Lambda, a database on Cloudflare Workers. */
export type Persistence =
  | { readonly type: 'sqlite'; readonly path: string; readonly auth_encryption_key: string | null }
  | {
      readonly type: 'dynamodb';
      readonly table: string;
      /** Null means the region of the function. */
      readonly region: string | null;
      /** Null means AWS's own address. */
      readonly endpoint: string | null;
    }
  | { readonly type: 'd1'; readonly binding: string };

/** `telemetry` of the active profile. */
export interface TelemetrySettings {
  readonly enabled: boolean;
  readonly endpoint: string | null;
  readonly headers: { readonly [name: string]: string };
  /** Null means the name of the project. */
  readonly service_name: string | null;
  readonly service_version: string | null;
  readonly environment: string | null;
  readonly resource_attributes: { readonly [name: string]: string };
  readonly tracing: { readonly enabled: boolean; readonly console_export: boolean };
  /** Seconds. */
  readonly metrics: { readonly enabled: boolean; readonly export_interval: number };
}

/** A language model for evaluations. */
export interface Model {
  readonly type: (typeof MODEL_TYPES)[number];
  readonly api_key: string | null;
  readonly base_url: string | null;
  /** Seconds. */
  readonly timeout: number | null;
  readonly max_retries: number | null;
  /** The vendor's name of the model; null for the name under `models`. */
  readonly model: string | null;
  /** Prices of a million tokens; null if unknown. */
  readonly prices: { readonly input: number; readonly output: number; readonly currency: string } | null;
}

/** `logging`, with SVC_DEBUG applied. */
export interface LoggingSettings {
  readonly enabled: boolean;
  /** Null means standard error. */
  readonly path: string | null;
  readonly level: (typeof LOG_LEVELS)[number];
  readonly format: (typeof LOG_FORMATS)[number];
  readonly max_bytes: number;
  readonly backup_count: number;
}

/** The addresses and transports of the server. */
export interface TransportSettings {
  readonly provider: TransportName;
  readonly http: {
    readonly port: number;
    readonly host: string;
    readonly scheme: 'http' | 'https';
    readonly base_url: string | null;
    readonly trust_proxy: boolean;
    /** Null if not set; the platform then chooses a default. */
    readonly allowed_hosts: readonly string[] | null;
    readonly allowed_origins: readonly string[] | null;
    readonly stateless: boolean;
    /** Null if not set; the platform then chooses a default. */
    readonly rate_limit: { readonly requests_per_minute: number; readonly burst: number } | null;
  };
}

/** The whole configuration of one profile: files, environment and flags combined, references resolved. */
export interface Settings {
  readonly project: string;
  readonly profile: string;
  readonly debug: boolean;
  readonly database: SiteFile['database'];
  readonly audit: SiteFile['audit'];
  readonly admin: { readonly enabled: boolean; readonly socket: string };
  readonly transport: TransportSettings;
  readonly logging: LoggingSettings;
  readonly auth: AuthSettings;
  readonly telemetry: TelemetrySettings;
  readonly models: {
    readonly default: string | null;
    readonly named: { readonly [name: string]: Model };
  };
  readonly secrets: readonly Secret[];
  /** Configuration of plugins, by name. */
  readonly plugins: { readonly [name: string]: { readonly [key: string]: string } };
}
