import type { NotificationLevel } from '../../../src/context.ts';
import { SvcError, toPublicText } from '../../../src/errors.ts';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import type { PythonHost, PythonSettings } from '../../../src/ports.ts';
import { concealIn } from '../../../src/settings/references/concealment.ts';
import type { SqlValue } from '../../../src/sql-value.ts';

/** Answers the requests of a call, and remembers their errors. */
export interface Answered {
  answer(asked: JsonObject): Promise<JsonValue>;
  /** Returns an error as Python receives it: its public text, and the number that it is remembered under. */
  failed(error: SvcError, asked: JsonObject): JsonObject;
  readonly failures: ReadonlyMap<number, SvcError>;
}

/** Creates the answers for one call. */
export function createAnswers(settings: PythonSettings, host: PythonHost): Answered {
  const failures = new Map<number, SvcError>();
  return {
    failures,
    answer: (asked) => answer(asked, settings, host),
    failed(error, { what }) {
      // Code may retry for as long as the call lasts, so the numbers are bounded.
      const number = failures.size < MAX_FAILURES ? failures.size : MAX_FAILURES - 1;
      failures.set(number, error);
      return { code: error.code, message: toPublicText(error), number, database: what === 'execute' };
    },
  };
}

const MAX_FAILURES = 100;

/**
 * Texts of Python code may quote the secrets that it has read, so they are removed from everything it reports. Halves of
 * surrogate pairs become U+FFFD.
 */
async function answer(asked: JsonObject, settings: PythonSettings, host: PythonHost): Promise<JsonValue> {
  const conceal = (value: string) => (settings.conceal?.(value) ?? value).toWellFormed();
  const { what, name, sql, params, level, text, done, total, event } = asked;
  switch (what) {
    case 'execute':
      return host.execute(String(sql), toParameters(params));
    case 'secret':
      return settings.secret(String(name));
    case 'config':
      return settings.config();
    case 'notice':
      host.notice(level as NotificationLevel, conceal(String(text)));
      return null;
    case 'progress':
      host.progress(Number(done), total === null ? null : Number(total), conceal(String(text)));
      return null;
    case 'event':
      host.event(concealIn((event ?? {}) as JsonObject, conceal));
      return null;
    default:
      return null;
  }
}

type Timed = Extract<SqlValue, { readonly sqlType: unknown }>;

const TIMED: readonly string[] = [
  'DATE',
  'TIME',
  'TIMESTAMP',
  'TIMESTAMPTZ',
  'INTERVAL',
] satisfies Timed['sqlType'][];

/** Converts the parameters of a statement from Python's form (adapters/python/host/svc/_parameters.py). */
function toParameters(sent: JsonValue | undefined): { readonly [name: string]: SqlValue } {
  return Object.fromEntries(
    Object.entries((sent ?? {}) as JsonObject).map(([name, value]) => [name, toValue(value)]),
  );
}

function toValue(sent: JsonValue): SqlValue {
  if (sent === null || typeof sent !== 'object') return sent;
  const { integer, float, list, struct, type, text } = sent as JsonObject;
  if (typeof integer === 'string') return BigInt(integer);
  if (typeof float === 'string') return FLOATS[float] ?? Number.NaN;
  if (Array.isArray(list)) return { list: list.map(toValue) };
  if (isTimed(type) && typeof text === 'string') return { sqlType: type, text };
  if (typeof struct === 'object' && struct !== null) return { struct: toParameters(struct) };
  throw new SvcError('internal', 'Python sent a parameter of an unknown form.');
}

const FLOATS: { readonly [text: string]: number } = {
  inf: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
};

function isTimed(type: JsonValue | undefined): type is Timed['sqlType'] {
  return typeof type === 'string' && TIMED.includes(type);
}
