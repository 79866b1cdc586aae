import { logIdsOf, type NotificationLevel, type RequestContext } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Database, Log, LogLine, PythonHost, SqlResult } from '../ports.ts';
import { answerParameters } from '../project/elicitation-model.ts';
import { type CallTexts, callerCredentials, createTextRedactor } from '../redaction/redact.ts';
import { enforceVerb } from '../sql/statement.ts';
import type { PythonEntry, PythonWork } from './python.ts';
import { bindParameters, type PythonStatement, statementOf } from './python-statement.ts';
import type { Runtime } from './runtime.ts';
import { runScanned } from './scan.ts';
import { toSqlCaller } from './sql.ts';

/** The most rows that a statement may return to a function, independent of the endpoint's own limit. */
const MAX_ROWS = 100_000;
const MAX_EVENTS = 50;
const MAX_TEXT = 4_000;

interface HostWork extends PythonWork {
  /** Aborts when the call ends. */
  readonly ended: AbortSignal;
  readonly args: JsonObject;
}

/** Answers the requests of one call's function. Its statements run as the caller, within the time that is left. */
export function createPythonHost(
  runtime: Runtime,
  entry: PythonEntry,
  { context, span, events, scans, advance, ended, args }: HostWork,
): PythonHost {
  const { limits, name } = entry;
  const deadline = performance.now() + limits.timeoutMs;
  const signal = AbortSignal.any([context.signal, ended]);
  const caller = toSqlCaller(context);
  let redactor: ((text: string) => string) | null = null;
  const redact = (text: string) => {
    redactor ??= createTextRedactor(callTexts(entry, args, context));
    return redactor(text.slice(0, MAX_TEXT));
  };
  let share = 0;
  return {
    async execute(sql, params) {
      const statement = await statementOf(sql);
      enforceMode(statement, entry);
      const values = bindParameters(statement, params);
      const database = await runtime.database();
      const timeoutMs = Math.max(1, Math.round(deadline - performance.now()));
      return span.span('svc.database.execute', attributesOf(statement, database), async (own) => {
        const maxRows = Math.max(limits.rows, MAX_ROWS);
        const request = { sql: statement.sql, values, mode: statement.mode, maxRows };
        const sqlCall = { signal, caller, timeoutMs };
        const rows = allOf(
          await runScanned(database, request, sqlCall, { limits, span: own, scans }),
          maxRows,
        );
        own.set({ 'db.rows_affected': rows.length });
        return rows;
      });
    },
    notice(level, text) {
      const told = redact(text);
      if (context.notify !== undefined) return context.notify(level, told);
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
      const { mode } = statement;
      const request = { sql: statement.sql, values, mode, maxRows: MAX_ROWS };
      return allOf(await (await database()).run(request, call), MAX_ROWS);
    },
    notice: (level, text) => log(toLine(level, `python: ${text.slice(0, MAX_TEXT)}`)),
    progress() {},
    event() {},
  };
}

/** Throws result_too_large instead of cutting rows, because a function would compute with the cut result. */
function allOf({ rows, truncated }: SqlResult, maxRows: number): readonly JsonObject[] {
  if (!truncated) return rows;
  throw new SvcError(
    'result_too_large',
    `A query gave more than ${maxRows} rows. Add a LIMIT, aggregate in SQL, or raise \`limits.rows\` of the endpoint.`,
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
