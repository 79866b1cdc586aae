import { isList, isObject, type JsonObject, type JsonValue } from '../../json.ts';
import { createRedactor } from '../../redaction/redact.ts';
import { createConcealment } from '../../settings/references/concealment.ts';
import { toShort } from '../test/diff.ts';
import type { MadeCall } from './call.ts';
import type { CallReport } from './report.ts';

const MOST_TEXT = 65_536;

/** Redacts a conversation for reports, like the audit log, and removes the configuration's secrets. */
export interface Hider {
  call(call: MadeCall): CallReport;
  text(text: string): string;
  value<T extends JsonValue>(value: T): T;
  /** A value on one line, cut after it was redacted, because a part of a sensitive value is not recognised. */
  line(value: JsonValue): string;
}

/**
 * Creates a redactor for one conversation. Pass the calls first,
 * so that their sensitive values are also removed from the answer.
 */
export function createHider(secrets: readonly string[]): Hider {
  const { add, conceal } = createConcealment();
  add(secrets);
  const redactor = createRedactor(conceal);
  const text = (value: string) => redactor.text(value, MOST_TEXT);
  const value = <T extends JsonValue>(given: T): T => mapTexts(given, conceal) as T;
  return {
    text,
    value,
    line: (given) => toShort(mapTexts(given, text)),
    call: ({ turn, endpoint, offer, args, error, value: result, timeMs }) => {
      const entry = offer?.entry ?? null;
      const shown = args && entry ? redactor.arguments(args, entry.parameters) : null;
      return {
        turn,
        tool: text(endpoint),
        args: shown,
        status: error === null ? 'success' : error.code === 'denied' ? 'denied' : 'error',
        ...(error === null
          ? { result: redactor.result(result, entry?.returns ?? null) }
          : { error: `${error.code}: ${text(error.message)}` }),
        time_ms: timeMs,
      };
    },
  };
}

function mapTexts(value: JsonValue, edit: (text: string) => string): JsonValue {
  if (typeof value === 'string') return edit(value);
  if (isList(value)) return value.map((item) => mapTexts(item, edit));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [edit(key), mapTexts(item, edit)]),
  ) as JsonObject;
}
