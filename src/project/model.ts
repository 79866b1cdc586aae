import type { JsonObject, JsonValue } from '../json.ts';
import type { Parameter, TypeNode } from '../types/node.ts';
import type { Confirm, QuestionRounds } from './elicitation-model.ts';
import type { Finding } from './finding.ts';
import type { SiteFile } from './site-model.ts';
import type { Positions } from './yaml/position.ts';

export type { Site, SiteFile, TableRule } from './site-model.ts';

export const ENDPOINT_KINDS = ['tool', 'resource', 'prompt'] as const;
export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

/** The implementation of an endpoint: inline code, or a file that was read with the project. */
export interface Source {
  /** `text` is no code: the text is the content. */
  readonly language: 'sql' | 'python' | 'text';
  readonly text: string;
  /** Relative to the project's root; null for inline code. */
  readonly file: string | null;
  /** The line of inline code in the YAML; for a file, the line that names it. */
  readonly line: number;
  readonly column: number;
  /** Whether the code is in its file unchanged, so that an offset in it has a line and a column. */
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
interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: (typeof ICON_THEMES)[number];
}

/** One of an endpoint's tests. An absent assertion is not checked. */
export interface EndpointTest {
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly { readonly key: string; readonly value: JsonValue }[];
  readonly user_context?: { readonly [key: string]: JsonValue };
  /** `null` is also an assertion. */
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

/** The author's limits, which replace the defaults. */
export interface EndpointLimits {
  readonly rows?: number;
  readonly bytes?: number;
  /** Seconds. */
  readonly timeout?: number;
  /** The most rows that a statement may scan, by the estimate of its plan. */
  readonly scan_rows?: number;
  readonly scan_bytes?: number;
}

/** The time for which results of a statement may be kept although its data can change. */
export interface EndpointCache {
  readonly ttlMs: number;
}

/** The actions of policy rules. */
export const POLICY_ACTIONS = ['deny', 'filter_fields', 'mask_fields', 'filter_sensitive_fields'] as const;

/** One rule: the action on a call if the condition is true. */
export interface PolicyRule {
  readonly condition: string;
  readonly action: (typeof POLICY_ACTIONS)[number];
  readonly reason?: string;
  readonly fields?: readonly string[];
}

/** The rules about a call and the rules about its result. */
export interface Policies {
  readonly input: readonly PolicyRule[];
  readonly output: readonly PolicyRule[];
}

/** The keys that tools, resources and prompts share. */
interface EndpointBase {
  /** Relative to the project's root. */
  readonly file: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly icons: readonly Icon[];
  readonly enabled: boolean;
  /** A caller must hold all of these. */
  readonly scopes: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly policies: Policies;
  readonly tests: readonly EndpointTest[];
  readonly limits: EndpointLimits;
  readonly metadata: { readonly [key: string]: JsonValue };
  readonly returns: TypeNode | null;
  /** The question that a person must accept before each call; null without one. */
  readonly confirm: Confirm | null;
  /** The questions before each call. Their answers are parameters too. */
  readonly ask: QuestionRounds;
}

/** `value` is one value; `rows` makes a block of MCP content of each row. */
export const TOOL_CONTENTS = ['value', 'rows'] as const;

/** The forms of rows in the text of a result. */
export const TEXT_FORMATS = ['csv', 'markdown', 'json'] as const;
/** The forms of the file that has all rows of a large result. */
export const FILE_FORMATS = ['csv', 'json', 'parquet'] as const;

/** The kinds of views; `auto` chooses one by `return`. */
export const VIEW_KINDS = ['table', 'line', 'bar', 'area', 'scatter', 'number', 'map', 'auto'] as const;
export type ViewKind = Exclude<(typeof VIEW_KINDS)[number], 'auto'>;

/** A tool whose large results are summaries with a link to all rows. */
export interface LargeResult {
  /** Results with more rows are large. */
  readonly rows: number;
  readonly format: (typeof FILE_FORMATS)[number];
  /** The time for which the link can be read. */
  readonly minutes: number;
}

export interface ToolEndpoint extends EndpointBase {
  readonly kind: 'tool';
  readonly annotations: Annotations;
  /** `image/…` or `audio/…` if the result is one BLOB; null for other values. */
  readonly mimeType: string | null;
  /** The form in which clients receive the result. */
  readonly content: (typeof TOOL_CONTENTS)[number];
  /** The form of the text, which is then all that a client gets; null for JSON beside `structuredContent`. */
  readonly format: (typeof TEXT_FORMATS)[number] | null;
  readonly largeResult: LargeResult | null;
  readonly cache?: EndpointCache;
  /** The view in which people see results; null without one. */
  readonly view: (typeof VIEW_KINDS)[number] | null;
  readonly source: Source;
}

/** SQL that completes the values of a parameter, by its name. `$value` is the text that the user typed. */
interface Completion {
  readonly [parameter: string]: string;
}

export interface ResourceEndpoint extends EndpointBase {
  readonly kind: 'resource';
  readonly completion: Completion;
  /** May have `{name}` placeholders. A resource without a `name` has its URI as name. */
  readonly uri: string;
  readonly mimeType: string | null;
  readonly cache?: EndpointCache;
  readonly source: Source;
  readonly skill?: Skill;
}

/** A text file of a skill, by its path inside the skill's folder. */
export interface SkillFile {
  readonly path: string;
  readonly text: string;
}

/** A guide for models. Its main file is the resource that has it. */
export interface Skill {
  /** As clients see it. */
  readonly frontMatter: JsonObject;
  /** The files beside the main one. */
  readonly files: readonly SkillFile[];
}

export const PROMPT_ROLES = ['user', 'assistant', 'system'] as const;
export const PROMPT_TYPES = ['text', 'resource'] as const;

export interface PromptMessage {
  readonly role: (typeof PROMPT_ROLES)[number];
  readonly type: (typeof PROMPT_TYPES)[number];
  /** A template. It yields the text, or the URI for type `resource`. */
  readonly prompt: string;
}

export interface PromptEndpoint extends EndpointBase {
  readonly kind: 'prompt';
  readonly completion: Completion;
  readonly messages: readonly PromptMessage[];
}

export type Endpoint = ToolEndpoint | ResourceEndpoint | PromptEndpoint;

/** One endpoint file. `endpoint` is null if the file has errors. */
export interface EndpointFile {
  readonly file: string;
  readonly kind: EndpointKind;
  readonly endpoint: Endpoint | null;
  /** The position of each YAML node, by JSON pointer from the root, e.g. `/tool/policies/input/0/condition`. */
  readonly positions: Positions;
}

/** The whole project as the author wrote it, parsed and checked. Plain data. */
export interface Project {
  /** Absolute path of the folder that contains the site file. */
  readonly root: string;
  /** Null if the site file has errors. */
  readonly site: SiteFile | null;
  /** The position of each node of the site file. */
  readonly sitePositions?: Positions;
  readonly endpoints: readonly EndpointFile[];
  readonly findings: readonly Finding[];
}
