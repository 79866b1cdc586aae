import type { JsonObject } from '../json.ts';
import type { Policies } from '../project/model.ts';
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
}

/** What one call of a tool needs; frozen, serialisable, looked up by name. */
export interface ToolEntry {
  readonly kind: 'tool';
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly returns: TypeNode | null;
  readonly source: CompiledSql;
  readonly policies: Policies;
  readonly limits: Limits;
  /** The tool as `tools/list` shows it. */
  readonly wire: JsonObject;
}

/** Bounds of one call. */
export interface Limits {
  readonly rows: number;
  readonly bytes: number;
  readonly timeoutMs: number;
}

/** What the server needs, compiled once from a Project; plain data, so it can be written to a manifest. */
export interface Catalog {
  readonly project: string;
  /** Content hash over everything else in the catalog, hex. */
  readonly hash: string;
  readonly tools: { readonly [name: string]: ToolEntry };
}
