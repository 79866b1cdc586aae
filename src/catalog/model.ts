import type { JsonObject } from '../json.ts';
import type { Confirm, QuestionRounds } from '../project/elicitation-model.ts';
import type {
  EndpointCache,
  LargeResult,
  Policies,
  PromptMessage,
  TableRule,
  TEXT_FORMATS,
  ViewKind,
} from '../project/model.ts';
import type { UriTemplate } from '../project/uri.ts';
import type { Parameter, TypeNode } from '../types/node.ts';

export type { LargeResult } from '../project/model.ts';

/** SQL compiled once: positions replace the names of parameters. */
export interface CompiledSql {
  readonly language: 'sql';
  /** With `$1 .. $n` in place of `$name`. */
  readonly sql: string;
  /** The parameter bound at each position: order[0] is `$1`. */
  readonly order: readonly string[];
  readonly mode: 'read' | 'write';
  /** For spans: SELECT, INSERT ... */
  readonly operation: string;
  /** SHA-256 of the author's SQL, hex. */
  readonly hash: string;
  /** For `execute_sql_query`: the parameter whose value runs in place of `sql`, with guards. */
  readonly statement?: string;
  /** For the built-in SQL tools: the only tables they see, and as which caller sees them. */
  readonly tables?: readonly TableRule[];
  /** For the built-in SQL tools, unless the site shows them the attached databases. */
  readonly unattached?: true;
}

/** A function in a Python file of the project. */
export interface CompiledPython {
  readonly language: 'python';
  /** Relative to the project's root. */
  readonly file: string;
  readonly function: string;
  /** With `read`, its statements must not write. */
  readonly mode: 'read' | 'write';
  /** SHA-256 of the file, hex. */
  readonly hash: string;
}

/** A text of the author's, which is the content itself. */
export interface CompiledText {
  readonly language: 'text';
  readonly text: string;
  readonly mode: 'read';
  /** SHA-256 of the text, hex. */
  readonly hash: string;
}

/** The implementation of an endpoint. */
export type CompiledSource = CompiledSql | CompiledPython | CompiledText;

/** The limits of one call. */
export interface CallLimits {
  readonly rows: number;
  readonly bytes: number;
  readonly timeoutMs: number;
  /** The most rows and bytes that one statement may scan, by estimate; absent without a limit. */
  readonly scanRows?: number;
  readonly scanBytes?: number;
}

/** Reads the candidates for a parameter; `value` is the text that the user typed. */
export type CompletionSql = Pick<CompiledSql, 'sql' | 'order'>;

/** The SQL of each parameter's completion; absent if there is none. */
interface Completed {
  readonly completion?: { readonly [parameter: string]: CompletionSql };
}

/** Everything that one call of an endpoint needs. Frozen, serialisable, looked up by name. */
interface Entry {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly policies: Policies;
  /** A caller must hold all of these; absent if the endpoint needs none. */
  readonly scopes?: readonly string[];
  readonly limits: CallLimits;
  /** The question that a person must accept before each call. */
  readonly confirm?: Confirm;
  /** The questions before each call. Their answers are parameters too. */
  readonly ask?: QuestionRounds;
  /** The endpoint as it appears in MCP's lists. */
  readonly wire: JsonObject;
}

/** A tool. */
export interface ToolEntry extends Entry {
  readonly kind: 'tool';
  readonly returns: TypeNode | null;
  readonly cache?: EndpointCache;
  readonly source: CompiledSource;
  /** `image/…` or `audio/…` if the result is one BLOB. */
  readonly mimeType?: string;
  /** Each row is a block of MCP content. */
  readonly content?: 'rows';
  /** The form of the text that is all of the answer. */
  readonly format?: (typeof TEXT_FORMATS)[number];
  readonly largeResult?: LargeResult;
  /** The view in which clients with MCP Apps show results. */
  readonly view?: ViewKind;
}

/** A resource. With variables in its URI it appears in `resources/templates/list`, otherwise in `resources/list`. */
export interface ResourceEntry extends Entry, Completed {
  readonly kind: 'resource';
  /** As written by the author; the key in the catalog. */
  readonly uri: string;
  readonly template: UriTemplate;
  readonly mimeType: string;
  readonly returns: TypeNode | null;
  readonly cache?: EndpointCache;
  readonly source: CompiledSource;
  /** For the main file of a skill: the skill as `skills/list` shows it. */
  readonly skill?: JsonObject;
}

/** A prompt; each message is a template. */
export interface PromptEntry extends Entry, Completed {
  readonly kind: 'prompt';
  readonly messages: readonly PromptMessage[];
}

/** An endpoint of any kind. */
export type AnyEntry = ToolEntry | ResourceEntry | PromptEntry;

/** Everything the server needs, compiled once from a project. Plain data, so that a manifest can contain it. */
export interface Catalog {
  readonly project: string;
  /** Hash over all other fields of the catalog, in hex. */
  readonly hash: string;
  readonly tools: { readonly [name: string]: ToolEntry };
  /** By URI as written by the author. */
  readonly resources: { readonly [uri: string]: ResourceEntry };
  readonly prompts: { readonly [name: string]: PromptEntry };
  /** Clients see the tools `search` and `call` in place of all tools (`tool_search`). */
  readonly search?: true;
}

/** The SQL parameter of a completion that contains the text that the user typed. */
export const TYPED_VALUE = 'value';
