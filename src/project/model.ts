import type { JsonValue } from '../json.ts';
import type { Parameter, TypeNode } from '../types/node.ts';
import type { Confirm, Rounds } from './elicitation-model.ts';
import type { Finding } from './finding.ts';
import type { Policies } from './policies.ts';
import type { SiteFile } from './site-model.ts';
import type { Positions } from './yaml/position.ts';

export { POLICY_ACTIONS, type Policies, type PolicyRule } from './policies.ts';
export type { Site, SiteFile } from './site-model.ts';

export const ENDPOINT_KINDS = ['tool', 'resource', 'prompt'] as const;
export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

/** Where an endpoint's implementation is: inline, or a file beside the YAML, read at load. */
export interface Source {
  readonly language: 'sql' | 'python';
  readonly text: string;
  /** Relative to the project's root; null for inline code. */
  readonly file: string | null;
  /** Where inline code begins in the YAML; of a file, where the YAML names it. */
  readonly line: number;
  readonly column: number;
  /** Whether the text stands in its file as it is, so that a place in it has a line of its own. */
  readonly verbatim: boolean;
}

/** MCP's hints about a tool. */
export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export const ICON_THEMES = ['light', 'dark'] as const;

/** A picture that clients may show. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: (typeof ICON_THEMES)[number];
}

/** One of an endpoint's tests; an assertion that is not there is not made. */
export interface EndpointTest {
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly { readonly key: string; readonly value: JsonValue }[];
  readonly user_context?: { readonly [key: string]: JsonValue };
  /** `null` is an assertion too. */
  readonly result?: JsonValue;
  readonly result_contains?: JsonValue;
  readonly result_not_contains?: readonly string[];
  readonly result_contains_item?: JsonValue;
  readonly result_contains_all?: readonly JsonValue[];
  readonly result_length?: number;
  readonly result_contains_text?: string;
  readonly denied?: boolean;
  readonly error_contains?: string;
}

/** What the author wants bounded otherwise than by default. */
export interface EndpointLimits {
  readonly rows?: number;
  readonly bytes?: number;
  /** Seconds. */
  readonly timeout?: number;
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
  readonly enabled: boolean;
  /** A caller must hold all of them. */
  readonly scopes: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly policies: Policies;
  readonly tests: readonly EndpointTest[];
  readonly limits: EndpointLimits;
  readonly metadata: { readonly [key: string]: JsonValue };
  readonly returns: TypeNode | null;
  /** What a person must agree to before each call; null: nothing. */
  readonly confirm: Confirm | null;
  /** What is asked before each call; the answers are parameters too. */
  readonly ask: Rounds;
}

/** One value, or a block of MCP content for each row. */
export const TOOL_CONTENTS = ['value', 'rows'] as const;

export interface ToolEndpoint extends EndpointBase {
  readonly kind: 'tool';
  readonly annotations: Annotations;
  /** `image/…` or `audio/…`: the result is one BLOB of it; null: a value. */
  readonly mimeType: string | null;
  /** What the result is to clients. */
  readonly content: (typeof TOOL_CONTENTS)[number];
  readonly source: Source;
}

/** SQL that finds the values of a parameter, by its name; `$value` is what was typed so far. */
export interface Completion {
  readonly [parameter: string]: string;
}

export interface ResourceEndpoint extends EndpointBase {
  readonly kind: 'resource';
  readonly completion: Completion;
  /** With `{name}` placeholders; the resource's own name is its URI when it has no other. */
  readonly uri: string;
  readonly mimeType: string | null;
  readonly source: Source;
}

export const PROMPT_ROLES = ['user', 'assistant', 'system'] as const;
export const PROMPT_TYPES = ['text', 'resource'] as const;

export interface PromptMessage {
  readonly role: (typeof PROMPT_ROLES)[number];
  readonly type: (typeof PROMPT_TYPES)[number];
  /** A template: of the text, or of the URI for type `resource`. */
  readonly prompt: string;
}

export interface PromptEndpoint extends EndpointBase {
  readonly kind: 'prompt';
  readonly completion: Completion;
  readonly messages: readonly PromptMessage[];
}

export type Endpoint = ToolEndpoint | ResourceEndpoint | PromptEndpoint;

/** One endpoint file as found; `endpoint` is null when the file has errors. */
export interface EndpointFile {
  readonly file: string;
  readonly kind: EndpointKind;
  readonly endpoint: Endpoint | null;
  /** Where everything in the YAML is, by JSON pointer from the root, e.g. `/tool/policies/input/0/condition`. */
  readonly positions: Positions;
}

/** Everything the author wrote, parsed and checked. Pure data. */
export interface Project {
  /** Absolute path of the folder with the site file. */
  readonly root: string;
  /** Null when the site file itself has errors. */
  readonly site: SiteFile | null;
  /** Where everything in the site file is. */
  readonly sitePositions?: Positions;
  readonly endpoints: readonly EndpointFile[];
  readonly findings: readonly Finding[];
}
