import type { JsonValue } from '../json.ts';
import type { Parameter, TypeNode } from '../types/node.ts';
import type { Finding } from './finding.ts';
import type { Position, YamlPath } from './yaml-file.ts';

export type EndpointKind = 'tool' | 'resource' | 'prompt';

/** Where an endpoint's implementation is: inline, or a file beside the YAML, read at load. */
export interface Source {
  readonly language: 'sql' | 'python';
  readonly text: string;
  /** Relative to the project's root; null for inline code. */
  readonly file: string | null;
  /** Position of the code (or of the `file` key) in the YAML. */
  readonly line: number;
  readonly column: number;
}

export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface PolicyRule {
  readonly condition: string;
  readonly action: 'deny' | 'filter_fields' | 'mask_fields' | 'filter_sensitive_fields';
  readonly reason?: string;
  readonly fields?: readonly string[];
}

export interface Policies {
  readonly input: readonly PolicyRule[];
  readonly output: readonly PolicyRule[];
}

export interface EndpointTest {
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly { readonly key: string; readonly value: JsonValue }[];
  readonly user_context?: { readonly [key: string]: JsonValue };
  readonly [assertion: string]: unknown;
}

/** Bounds that an endpoint sets for itself; absent ones take the defaults. */
export interface DeclaredLimits {
  readonly rows?: number;
  readonly bytes?: number;
  /** Seconds. */
  readonly timeout?: number;
}

/** An image that a client may show for an endpoint (MCP `icons`). */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

/** What tools, resources and prompts share. */
interface EndpointBase {
  /** Relative to the project's root. */
  readonly file: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly icons: readonly Icon[];
  readonly scopes: readonly string[];
  readonly enabled: boolean;
  readonly parameters: readonly Parameter[];
  readonly policies: Policies;
  readonly tests: readonly EndpointTest[];
  readonly metadata: { readonly [key: string]: JsonValue };
}

export interface ToolEndpoint extends EndpointBase {
  readonly kind: 'tool';
  readonly annotations: Annotations;
  readonly mimeType: string | null;
  readonly confirm: string | null;
  readonly returns: TypeNode | null;
  readonly source: Source;
  readonly limits: DeclaredLimits;
}

export interface ResourceEndpoint extends EndpointBase {
  readonly kind: 'resource';
  readonly uri: string;
  readonly mimeType: string | null;
  readonly returns: TypeNode | null;
  readonly source: Source;
  readonly limits: DeclaredLimits;
}

export interface PromptMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly type: 'text' | 'resource';
  readonly prompt: string;
}

export interface PromptEndpoint extends EndpointBase {
  readonly kind: 'prompt';
  readonly messages: readonly PromptMessage[];
}

export type Endpoint = ToolEndpoint | ResourceEndpoint | PromptEndpoint;

/** One endpoint file as found; `endpoint` is null when the file has errors. */
export interface EndpointFile {
  readonly file: string;
  readonly kind: EndpointKind;
  readonly endpoint: Endpoint | null;
  /** Where something of the endpoint stands in the file, by its path below `tool`, `resource` or `prompt`. */
  readonly at: (path: YamlPath, what?: 'key' | 'value') => Position;
}

/** The site file after checking, for one profile, with its defaults filled in. Paths are relative to the root. */
export interface Site {
  readonly project: string;
  readonly profile: string;
  readonly database: {
    readonly path: string;
    readonly readonly: boolean;
    readonly engine: 'auto' | 'wasm' | 'native';
  };
  readonly drift: { readonly path: string };
  readonly audit: { readonly enabled: boolean; readonly path: string; readonly maxFileSize: number };
  /** Folders of the project. */
  readonly paths: {
    readonly tools: string;
    readonly resources: string;
    readonly prompts: string;
    readonly evals: string;
    readonly python: string;
  };
  readonly extensions: readonly { readonly name: string; readonly repo: string }[];
  readonly sqlTools: {
    readonly enabled: boolean;
    readonly descriptions: { readonly [tool: string]: string };
  };
  /** Names of the secrets that the project needs. */
  readonly secrets: readonly string[];
}

/** Everything the author wrote, parsed and checked. */
export interface Project {
  /** Absolute path of the folder with the site file. */
  readonly root: string;
  /** Null when the site file itself has errors. */
  readonly site: Site | null;
  readonly endpoints: readonly EndpointFile[];
  readonly findings: readonly Finding[];
}
