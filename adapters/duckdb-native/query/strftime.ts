import { quoteText } from '../../../src/sql/quote.ts';
import { EARLY_NANOSECONDS } from '../../../src/sql/strftime.ts';

const TIMES = [
  'DATE',
  'TIMESTAMP',
  'TIMESTAMP_S',
  'TIMESTAMP_MS',
  'TIMESTAMP_NS',
  'TIMESTAMP WITH TIME ZONE',
];

/** A format that DuckDB refuses, with our reason in its message. */
const INVALID = `${EARLY_NANOSECONDS} %!`;

/**
 * Makes strftime refuse formats whose texts would show the engine's memory. A macro of the connection comes before DuckDB's
 * own function, also in views and macros.
 */
export const GUARDED_STRFTIME = `CREATE TEMP MACRO strftime(a, b) AS system.main.strftime(${guarded('a')}, ${guarded('b')})`;

/**
 * An argument, which may be the format or the time, with its type. It is evaluated once: a format of a TIMESTAMPTZ may be
 * another one each time. Lists keep the type of NULL, to which nothing else can be cast. Without a format that is too early,
 * DuckDB folds all of this away when it plans.
 */
function guarded(argument: string): string {
  const isTime = `system.main.typeof(${argument}) IN (${TIMES.map(quoteText).join(', ')})`;
  const checked = `system.main.regexp_replace(${argument}::VARCHAR, '(?s)^([^%]|%[^n])*%n.+', ${quoteText(INVALID)})`;
  return `CASE WHEN ${isTime} THEN ${argument} ELSE system.main.cast_to_type([${checked}], [${argument}])[1] END`;
}

/** Whether a definition of a database calls strftime, by its text. */
const DEFINITIONS = `SELECT EXISTS (FROM duckdb_views() WHERE NOT internal AND sql ILIKE '%strftime%')
  OR EXISTS (FROM duckdb_tables() WHERE sql ILIKE '%strftime%')
  OR EXISTS (FROM duckdb_functions() WHERE NOT internal AND macro_definition ILIKE '%strftime%')`;

/** The statements after which it pays to look at the definitions: that takes as long as 20 of these macros. */
const MANY = 50;

/** A session, which runs an internal query for a BOOLEAN. */
interface Looking {
  isTrue(sql: string): Promise<boolean>;
}

/** Decides which connections need `GUARDED_STRFTIME`, because a connection takes several times as long with it. */
export class StrftimeGuard {
  #generation = Number.NaN;
  #statements = 0;
  #defined: Promise<boolean> | null = null;

  /** Whether a statement may call strftime: by its text, or by a definition that it may read. In doubt the answer is yes. */
  async isNeeded(session: Looking, sql: string, generation: number): Promise<boolean> {
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#statements = 0;
      this.#defined = null;
    }
    this.#statements += 1;
    if (this.#statements < MANY || /strftime/i.test(sql)) return true;
    this.#defined ??= session.isTrue(DEFINITIONS).catch(() => {
      this.#generation = Number.NaN;
      return true;
    });
    return this.#defined;
  }
}

const REFUSED = `Failed to parse format specifier ${INVALID}: Unrecognized format for strftime/strptime: %!`;

/** DuckDB's message, or our reason alone if that is in it. */
export function withoutInvalidFormat(message: string): string {
  return message.replace(REFUSED, () => EARLY_NANOSECONDS);
}
