import { logIdsOf, type NotificationLevel, type RequestContext } from '../context.ts';
import { sha256Hex } from '../crypto/digest.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { keepLatest } from '../keep-latest.ts';
import type { Database, Log, LogLine, PythonHost, SqlResult } from '../ports.ts';
import { answerParameters } from '../project/elicitation-model.ts';
import { type CallTexts, callerCredentials, createTextRedactor } from '../redaction/redact.ts';
import { scanParameters } from '../sql/parameters.ts';
import { classify, enforceVerb, statementsOf } from '../sql/statement.ts';
import type { SqlValue } from '../sql-value.ts';
import type { PythonEntry, PythonWork } from './python.ts';
import type { Runtime } from './runtime.ts';
import { runScanned } from './scan.ts';
import { MOST_READ_BYTES, toSqlCaller } from './sql.ts';

/** The most rows that a statement may return to a function, independent of the endpoint's own limit. */
const MAX_ROWS = 100_000;
const MAX_EVENTS = 50;
const MAX_TEXT = 4_000;

interface HostWork extends PythonWork {
  /** Aborts when the call ends. */
  readonly ended: AbortSignal;
  readonly args: JsonObject;
}

/** A statement of a Python function with its named parameters rewritten to positions. */
interface PythonStatement {
  readonly sql: string;
  readonly order: readonly string[];
  readonly mode: 'read' | 'write';
  readonly operation: string;
  readonly hash: string;
}

const MAX_STATEMENTS = 500;
/** Longer statements usually contain values and do not come again. */
const MAX_STATEMENT_LENGTH = 20_000;
const statements = new Map<string, Promise<PythonStatement>>();

/** Answers the requests of one call's function. Its statements run as the caller, within the time that is left. */
export function createPythonHost(
  runtime: Runtime,
  entry: PythonEntry,
  { context, span, events, scans, advance, onRun, ended, args }: HostWork,
): PythonHost {
  const { limits, name } = entry;
  const deadline = performance.now() + limits.timeoutMs;
  const signal = AbortSignal.any([context.signal, ended]);
  const caller = toSqlCaller(context);
  let redactor: ReturnType<typeof createTextRedactor> | null = null;
  const redact = (text: string) => {
    redactor ??= createTextRedactor(callTexts(entry, args, context));
    return redactor(text, MAX_TEXT);
  };
  let share = 0;
  return {
    begin: onRun,
    async execute(sql, params) {
      const statement = await statementOf(sql);
      enforceMode(statement, entry);
      const values = bindParameters(statement, params);
      const database = await runtime.database();
      const timeoutMs = Math.max(1, Math.round(deadline - performance.now()));
      return span.span('svc.database.execute', attributesOf(statement, database), async (own) => {
        const bounds = {
          maxRows: Math.max(limits.rows, MAX_ROWS),
          maxBytes: Math.max(limits.bytes, MOST_READ_BYTES),
        };
        const request = { sql: statement.sql, values, mode: statement.mode, ...bounds };
        const sqlCall = { signal, caller, timeoutMs };
        const result = await runScanned(database, request, sqlCall, { limits, span: own, scans });
        const rows = allOf(result, bounds);
        own.set({ 'db.rows_affected': rows.length });
        return rows;
      });
    },
    notice(level, text) {
      const told = redact(text);
      if (context.notify?.(level, told)) return;
      context.notifyUnasked?.(level, told);
      runtime.log({ ...toLine(level, `${name}: ${told}`), fields: logIdsOf(context) });
    },
    progress(done, total, text) {
      // Without a total each step is a tenth of what is left.
      share = total === null || total <= 0 ? share + (1 - share) / 10 : done / total;
      advance(share, redact(text) || `The function is at ${total === null ? done : `${done} of ${total}`}.`);
    },
    event(event) {
      if (events.length < MAX_EVENTS) events.push(event);
    },
  };
}

/** The values of a call that the function knows: its arguments with the answers of its questions, and credentials. */
export function callTexts(entry: PythonEntry, args: JsonObject, context: RequestContext): CallTexts {
  const parameters = [...entry.parameters, ...answerParameters(entry.ask ?? [])];
  return { args, parameters, credentials: callerCredentials(context) };
}

/**
 * Answers the requests of code outside of calls (`@on_init`, `@on_shutdown`): statements without a caller, and log
 * lines.
 */
export function createBackgroundHost(database: () => Promise<Database>, log: Log): PythonHost {
  const { signal } = new AbortController();
  return {
    async execute(sql, params) {
      const statement = await statementOf(sql);
      const values = bindParameters(statement, params);
      const call = { signal, caller: null, timeoutMs: 30_000 };
      const bounds = { maxRows: MAX_ROWS, maxBytes: MOST_READ_BYTES };
      const request = { sql: statement.sql, values, mode: statement.mode, ...bounds };
      return allOf(await (await database()).run(request, call), bounds);
    },
    notice: (level, text) => log(toLine(level, `python: ${text.slice(0, MAX_TEXT)}`)),
    progress() {},
    event() {},
  };
}

interface Bounds {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Throws result_too_large instead of cutting rows, because a function would compute with the cut result. */
function allOf(
  { rows, truncated, beyondBytes }: SqlResult,
  { maxRows, maxBytes }: Bounds,
): readonly JsonObject[] {
  if (!truncated) return rows;
  const [most, key] = beyondBytes ? [`${maxBytes} bytes`, 'bytes'] : [`${maxRows} rows`, 'rows'];
  throw new SvcError(
    'result_too_large',
    `A query gave more than ${most}. Add a LIMIT, aggregate in SQL, or raise \`limits.${key}\` of the endpoint.`,
  );
}

function enforceMode({ sql, mode, operation }: PythonStatement, { kind, name, source }: PythonEntry): void {
  if (mode === 'read' || source.mode === 'write') return;
  enforceVerb(sql);
  const why = kind === 'resource' ? 'reading a resource changes nothing' : 'it declares `readOnlyHint: true`';
  throw new SvcError('database_readonly', `${name} runs ${operation}, but ${why}.`);
}

function attributesOf({ hash, operation, order }: PythonStatement, { readonly }: Database) {
  return {
    'db.system': 'duckdb',
    'db.statement.hash': hash,
    'db.operation': operation,
    'db.parameters.count': order.length,
    'db.readonly': readonly,
  };
}

const LEVELS = { debug: 'debug', info: 'info', notice: 'info', warning: 'warn', error: 'error' } as const;

function toLine(level: NotificationLevel, message: string): LogLine {
  return { level: LEVELS[level] ?? 'info', message };
}

/** Parses a statement and caches the result. Throws sql_rejected unless the text is exactly one statement. */
export function statementOf(sql: string): Promise<PythonStatement> {
  if (sql.length > MAX_STATEMENT_LENGTH) return readStatement(sql);
  const found = statements.get(sql) ?? readStatement(sql);
  keepLatest(statements, { key: sql, value: found, most: MAX_STATEMENTS });
  found.catch(() => statements.delete(sql));
  return found;
}

async function readStatement(text: string): Promise<PythonStatement> {
  const scan = scanParameters(text);
  const [problem] = scan.problems;
  if (problem !== undefined) throw refused(`${problem.message}.`);
  const [first, second] = statementsOf(text);
  if (first === undefined) throw refused('There is no SQL in it.');
  if (second !== undefined)
    throw refused('It holds more than one statement: execute them one after the other.');
  const { mode, operation } = classify(text);
  return { ...scan.rewrite(), mode, operation, hash: await sha256Hex(text) };
}

/** Orders values by the positions of a statement. Throws sql_rejected if one is missing. */
function bindParameters(
  { order }: PythonStatement,
  params: { readonly [name: string]: SqlValue },
): readonly SqlValue[] {
  return order.map((name) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value !== undefined) return value;
    throw refused(`It uses $${name}, and the parameters have no ${name}.`);
  });
}

function refused(reason: string): SvcError {
  return new SvcError('sql_rejected', `The statement cannot run. ${reason}`);
}
