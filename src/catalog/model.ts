import type { JsonObject } from '../json.ts';
import type { Confirm, Rounds } from '../project/elicitation-model.ts';
import type { Policies, PromptMessage } from '../project/model.ts';
import type { UriTemplate } from '../project/uri.ts';
import type { Parameter, TypeNode } from '../types/node.ts';

/** SQL compiled once: named parameters rewritten to positions. */
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
  /** Of a built-in tool: the parameter whose value runs in place of `sql`, guarded. */
  readonly statement?: string;
}

/** A function of a Python file in the project. */
export interface CompiledPython {
  readonly language: 'python';
  /** Relative to the project's root. */
  readonly file: string;
  readonly function: string;
  /** With `read` its statements must not write. */
  readonly mode: 'read' | 'write';
  /** SHA-256 of the file, hex. */
  readonly hash: string;
}

/** What an endpoint does. */
export type CompiledSource = CompiledSql | CompiledPython;

/** Bounds of one call. */
export interface Limits {
  readonly rows: number;
  readonly bytes: number;
  readonly timeoutMs: number;
}

/** Reads what a parameter may be; `value` is what was typed so far. */
export type CompletionSql = Pick<CompiledSql, 'sql' | 'order'>;

/** What a client can be offered while it fills in parameters; absent where no SQL finds it. */
interface Completed {
  readonly completion?: { readonly [parameter: string]: CompletionSql };
}

/** What one call of any endpoint needs; frozen, serialisable, looked up by name. */
interface Entry {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly policies: Policies;
  /** A caller must hold all of them; absent where none is asked for. */
  readonly scopes?: readonly string[];
  readonly limits: Limits;
  /** What a person must be asked, and agree to, before each call. */
  readonly confirm?: Confirm;
  /** What is asked before each call; the answers are parameters too. */
  readonly ask?: Rounds;
  /** The endpoint as MCP's lists show it. */
  readonly wire: JsonObject;
}

/** A tool. */
export interface ToolEntry extends Entry {
  readonly kind: 'tool';
  readonly returns: TypeNode | null;
  readonly source: CompiledSource;
  /** `image/…` or `audio/…`: the result is one BLOB of it. */
  readonly mimeType?: string;
  /** Each row is a block of MCP content. */
  readonly content?: 'rows';
}

/** A resource; without variables in its URI `wire` belongs into `resources/list`, with some into `resources/templates/list`. */
export interface ResourceEntry extends Entry, Completed {
  readonly kind: 'resource';
  /** As the author wrote it; the key in the catalog. */
  readonly uri: string;
  readonly template: UriTemplate;
  readonly mimeType: string;
  readonly returns: TypeNode | null;
  readonly source: CompiledSource;
}

/** A prompt; each message is a template. */
export interface PromptEntry extends Entry, Completed {
  readonly kind: 'prompt';
  readonly messages: readonly PromptMessage[];
}

/** An endpoint of any kind. */
export type AnyEntry = ToolEntry | ResourceEntry | PromptEntry;

/** What the server needs, compiled once from a Project; plain data, so it can be written to a manifest. */
export interface Catalog {
  readonly project: string;
  /** Content hash over everything else in the catalog, hex. */
  readonly hash: string;
  readonly tools: { readonly [name: string]: ToolEntry };
  /** By URI as the author wrote it. */
  readonly resources: { readonly [uri: string]: ResourceEntry };
  readonly prompts: { readonly [name: string]: PromptEntry };
}
