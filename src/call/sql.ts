import type { CompiledSql, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import type { RequestContext, User } from '../context.ts';
import { type ErrorCode, SvcError, toSvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { columnNamesOf, fieldsOf, type ResultColumns } from '../policy/columns.ts';
import type { Database, Span, SqlCall, SqlCaller, SqlRequest, SqlResult } from '../ports.ts';
import { answerParameters } from '../project/elicitation-model.ts';
import { toSqlValue } from '../sql/bind.ts';
import { renamedNames } from '../sql/forms.ts';
import { explainDefect } from '../sql/query.ts';
import type { Parameter } from '../types/node.ts';
import type { Slot } from './cache.ts';
import { enforceReadOnly, toRejected } from './caller-statement.ts';
import { restrict } from './restricted.ts';
import type { Runtime } from './runtime.ts';
import { runScanned, type StatementScan } from './scan.ts';

/** A tool or a resource in SQL. */
export type SqlEntry = (ToolEntry | ResourceEntry) & { readonly source: CompiledSql };

/** Whether an endpoint is written in SQL. */
export function isSql(entry: ToolEntry | ResourceEntry): entry is SqlEntry {
  return entry.source.language === 'sql';
}

/** The statement of one call, with its arguments as bound values, never spliced into the text. */
export interface PreparedSql {
  readonly entry: SqlEntry;
  readonly values: JsonObject;
  readonly request: SqlRequest;
}

/** Makes the statement of a call. Throws arguments_invalid for values that SQL cannot hold. */
export function prepareSql(entry: SqlEntry, values: JsonObject): PreparedSql {
  const { source, returns, limits } = entry;
  const request = {
    sql: source.sql,
    values: parametersOf(entry).map((parameter) => toSqlValue(parameter, values[parameter.name] ?? null)),
    mode: source.mode,
    // A single-row shape fetches two rows, which is enough to see that there are too many.
    maxRows: returns === null || returns.type === 'array' ? limits.rows : 2,
    maxBytes: hasRules(entry) ? Math.max(limits.bytes, MOST_READ_BYTES) : limits.bytes,
    ...(source.unattached ? { unattached: true } : {}),
  };
  return { entry, values, request };
}

/** Runs the statement of a call. */
export async function runSql(
  runtime: Runtime,
  { entry, values, request: prepared }: PreparedSql,
  { context, span: parent, scans, onRun }: SqlWork,
): Promise<SqlResult & ResultColumns> {
  const { source, limits } = entry;
  const own = source.statement === undefined ? null : enforceReadOnly(String(values[source.statement]));
  const database = await runtime.database();
  const attributes = {
    'db.system': 'duckdb',
    'db.statement.hash': source.hash,
    'db.operation': own?.operation ?? source.operation,
    'db.parameters.count': source.order.length,
    'db.readonly': database.readonly,
  };
  return parent.span('svc.database.execute', attributes, async (span) => {
    const asked = own === null ? prepared : { ...prepared, sql: own.sql, confined: true };
    const { request, toVisible } = await restrict(runtime, source, asked, context);
    const { signal } = context;
    const caller = callerOf(entry, context);
    const call = { signal, caller, timeoutMs: limits.timeoutMs };
    const result = await runScanned(database, request, call, { limits, span, scans }).catch((thrown) => {
      if (!HAS_NOT_RUN.has(toSvcError(thrown).code)) onRun();
      const failed = request.mode === 'read' ? explainDefect(thrown) : thrown;
      throw abortReason(signal) ?? (own === null ? failed : toRejected(failed, hidesTables(source)));
    });
    onRun();
    span.set({ 'db.rows_affected': result.rows.length });
    if (result.beyondBytes && hasRules(entry)) throw tooLargeForRules(entry.name);
    const twice = await columnsTwice(database, entry, { request, call, result });
    return { ...toVisible(result), twice };
  });
}

/** Returns the place of a call's result in the cache; null if the result may not be kept. */
export async function findSlot(
  { cache, database, clock }: Runtime,
  { entry, request }: PreparedSql,
  context: RequestContext,
): Promise<Slot | null> {
  const { source, limits } = entry;
  const own = source.statement !== undefined || source.tables !== undefined;
  // A limit on scans needs the estimate of each call.
  const limited =
    entry.cache === undefined && (limits.scanRows !== undefined || limits.scanBytes !== undefined);
  if (cache === undefined || own || limited) return null;
  const call = {
    signal: context.signal,
    caller: entry.cache === undefined ? null : callerOf(entry, context),
    timeoutMs: limits.timeoutMs,
  };
  return cache.find({ entry, database: await database(), request, call, now: clock.now() });
}

/**
 * The names that a statement gives to columns which have other names in the result. DuckDB numbers the repeated names of a read
 * (`salary_1`), also if a later column has such a name, so only its description of the statement tells these columns apart. It
 * describes a statement only if one of its columns may have the name of one that a rule hides.
 */
async function columnsTwice(
  database: Database,
  { policies, returns }: SqlEntry,
  {
    request,
    call,
    result,
  }: { readonly request: SqlRequest; readonly call: SqlCall; readonly result: SqlResult },
): Promise<ReadonlySet<string>> {
  const names = result.columns.map(({ name }) => name.toLowerCase());
  const hidden = policies.output.flatMap((rule) => fieldsOf(rule, returns)).flatMap(columnNamesOf);
  const numbered = (name: string) => hidden.some((one) => name.startsWith(`${one}_`) && /_\d+$/.test(name));
  if (request.mode === 'write' || !names.some(numbered)) return new Set(result.repeated);
  const { maxBytes: _, ...whole } = request;
  const described = { ...whole, sql: `DESCRIBE ${request.sql}`, maxRows: MOST_COLUMNS };
  const { rows } = await database.run(described, call);
  const given = rows.map(({ column_name }) => String(column_name));
  return new Set(renamedNames(given, names));
}

const MOST_COLUMNS = 10_000;

/** The context of one statement. */
export interface SqlWork {
  readonly context: RequestContext;
  readonly span: Span;
  /** Collects estimates for the audit record. */
  readonly scans: StatementScan[];
  /** Called if the statement has run, or may have. */
  readonly onRun: () => void;
}

/** Whether the database has tables that a caller's own statement must not name. */
function hidesTables({ tables, unattached }: CompiledSql): boolean {
  return tables !== undefined || unattached === true;
}

/** The errors of a statement that was refused before it ran, or that another one undid. */
const HAS_NOT_RUN: ReadonlySet<ErrorCode> = new Set(['busy', 'scan_too_large']);

/**
 * The most bytes of a result that output policies or Python functions read, or that a function returns. It is far beyond
 * `limits.bytes`, because policies read rows whole and hide values before the result is measured: no truncation may tell how
 * large a hidden value is.
 */
export const MOST_READ_BYTES = 67_108_864;

function hasRules({ policies }: SqlEntry): boolean {
  return policies.output.length > 0;
}

function tooLargeForRules(name: string): SvcError {
  return new SvcError(
    'result_too_large',
    `The result is larger than the ${MOST_READ_BYTES} bytes that the output policies of ${name} may read.`,
  );
}

/** The caller as a statement may know them. One that a client wrote, or whose result is cached, sees no credentials. */
function callerOf({ source, cache }: SqlEntry, context: RequestContext): SqlCaller | null {
  if (source.statement === undefined && cache === undefined) return toSqlCaller(context);
  return context.user === null ? null : { ...identityOf(context.user), externalToken: null, headers: null };
}

/** The reason for which the platform aborted the call, such as its time limit; null if it gave none. */
export function abortReason({ reason }: AbortSignal): SvcError | null {
  return reason instanceof SvcError ? reason : null;
}

const bound = new WeakMap<SqlEntry, readonly Parameter[]>();

/** The parameter or the question of each placeholder of a statement, in their order. */
function parametersOf(entry: SqlEntry): readonly Parameter[] {
  const known = bound.get(entry);
  if (known !== undefined) return known;
  const declared = [...entry.parameters, ...answerParameters(entry.ask ?? [])];
  const found = entry.source.order.map((name) => {
    const parameter = declared.find((candidate) => candidate.name === name);
    if (parameter !== undefined) return parameter;
    throw new SvcError(
      'project_invalid',
      `The SQL of ${entry.name} uses $${name}, which is not declared under \`parameters\`.`,
    );
  });
  bound.set(entry, found);
  return found;
}

/**
 * Makes the caller that user functions read. Headers are read only for authenticated callers, since a map of them
 * costs as much as the call.
 */
export function toSqlCaller(context: RequestContext): SqlCaller | null {
  return context.user === null ? null : { ...identityOf(context.user), headers: context.headers() };
}

function identityOf({ externalToken, username, provider, email }: User): Omit<SqlCaller, 'headers'> {
  return { externalToken, username, provider, email };
}
