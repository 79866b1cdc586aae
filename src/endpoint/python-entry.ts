import type { CompiledPython, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import type { JsonObject } from '../json.ts';
import type { PythonResult, Span } from '../ports.ts';
import type { Advance } from './tell.ts';

/** A tool or a resource in Python. */
export type PythonEntry = (ToolEntry | ResourceEntry) & { readonly source: CompiledPython };

/** The circumstances of one call of a function. */
export interface PythonWork {
  readonly context: RequestContext;
  readonly span: Span;
  readonly advance: Advance;
  /** Takes what the function tells of for the audit record. */
  readonly events: JsonObject[];
}

/** What a function returned, with no more rows than its endpoint may return. */
export interface Returned extends PythonResult {
  readonly truncated: boolean;
}
