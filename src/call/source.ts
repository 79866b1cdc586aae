import type { ResourceEntry, ToolEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Span } from '../ports.ts';
import { notifyWork } from './notifications.ts';
import type { PythonEntry } from './python.ts';
import { runPython } from './python.ts';
import { type Content, shapeContent, shapeReturned } from './result.ts';
import type { Runtime } from './runtime.ts';
import { runSql, type SqlEntry, toSqlCaller } from './sql.ts';

type Sourced = ToolEntry | ResourceEntry;

/** The circumstances under which a source runs. */
export interface SourceWork {
  /** The arguments, checked. */
  readonly values: JsonObject;
  readonly context: RequestContext;
  readonly span: Span;
  /** Takes what a function tells of for the audit record. */
  readonly events: JsonObject[];
}

/** Runs what an endpoint is made of, in its language. */
export async function runSource(runtime: Runtime, entry: Sourced, work: SourceWork): Promise<SourceResult> {
  if (isSql(entry)) return executeSql(runtime, entry, work);
  if (isPython(entry)) return executePython(runtime, entry, work);
  throw new SvcError('internal', `${entry.name} has no source.`);
}

/** What a source gave, not in its declared shape yet. */
export interface SourceResult {
  readonly rows: number;
  readonly truncated: boolean;
  readonly shape: () => Content;
}

async function executeSql(
  runtime: Runtime,
  entry: SqlEntry,
  { values, context, span }: SourceWork,
): Promise<SourceResult> {
  const call = { signal: context.signal, caller: toSqlCaller(context), span };
  const result = await notifyWork(context, {
    noun: 'statement',
    timeoutMs: entry.limits.timeoutMs,
    run: () => runSql(runtime, entry, values, call),
    rowsOf: ({ rows }) => rows.length,
  });
  const { rows, truncated } = result;
  return { rows: rows.length, truncated, shape: () => shapeContent(result, entry) };
}

async function executePython(
  runtime: Runtime,
  entry: PythonEntry,
  { values, context, span, events }: SourceWork,
): Promise<SourceResult> {
  const { value, binary, truncated } = await notifyWork(context, {
    noun: 'function',
    timeoutMs: entry.limits.timeoutMs,
    run: (advance) => runPython(runtime, entry, values, { context, span, events, advance }),
    rowsOf: ({ value }) => (Array.isArray(value) ? value.length : 1),
  });
  const rows = Array.isArray(value) ? value.length : 1;
  return { rows, truncated, shape: () => shapeReturned({ value, binary, truncated }, entry) };
}

function isSql(entry: Sourced): entry is SqlEntry {
  return entry.source.language === 'sql';
}

function isPython(entry: Sourced): entry is PythonEntry {
  return entry.source.language === 'python';
}
