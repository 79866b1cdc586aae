import type { SqlCaller } from '../../../src/ports.ts';
import { quoteText } from '../../../src/sql/quote.ts';

/** The user functions, each with its answer as a SQL expression (spec, "SQL functions available when served"). */
const ANSWERS: { readonly [name: string]: (caller: SqlCaller | null) => string } = {
  'get_user_external_token()': (caller) => literal(caller?.externalToken),
  'get_username()': (caller) => literal(caller?.username),
  'get_user_provider()': (caller) => literal(caller?.provider),
  'get_user_email()': (caller) => literal(caller?.email),
  'get_request_header(name)': (caller) => header(caller?.headers),
  'get_request_headers_json()': (caller) =>
    literal(caller?.headers && JSON.stringify(Object.fromEntries(caller.headers))),
};

const NAMES = Object.keys(ANSWERS).map((signature) => signature.replace(/\(.*/, ''));
const UNKNOWN = new RegExp(`Function with name "?(${NAMES.join('|')})"? does not exist`, 'i');

/** Whether a function is one of the user functions. */
export function isCallerFunction(name: string): boolean {
  return NAMES.includes(name);
}

/** Whether a statement failed because a view or macro calls a user function that is not defined yet. */
export function lacksCaller(message: string): boolean {
  return UNKNOWN.test(message);
}

/** The statements that define the user functions a statement names. They live as long as the connection, and no other connection sees them. */
export function defineNamed(sql: string, caller: SqlCaller | null): readonly string[] {
  const text = sql.toLowerCase();
  return define(caller, (_, index) => text.includes(NAMES[index] ?? ''));
}

/** The statements that define all user functions. */
export function defineAll(caller: SqlCaller | null): readonly string[] {
  return define(caller, () => true);
}

function define(
  caller: SqlCaller | null,
  chosen: (entry: unknown, index: number) => boolean,
): readonly string[] {
  return Object.entries(ANSWERS)
    .filter(chosen)
    .map(([signature, answer]) => `CREATE OR REPLACE TEMP MACRO ${signature} AS ${answer(caller)}`);
}

function header(headers: ReadonlyMap<string, string> | null | undefined): string {
  if (!headers || headers.size === 0) return literal(null);
  const entries = [...headers].map(([name, value]) => `${literal(name)}: ${literal(value)}`);
  return `MAP {${entries.join(', ')}}[lower(name)]`;
}

/** Writes text as a SQL expression. The driver would end the statement at a NUL. */
function literal(text: string | null | undefined): string {
  if (text === null || text === undefined) return 'NULL::VARCHAR';
  const parts = text.split('\0').map(quoteText);
  return `(${parts.join(' || chr(0) || ')})::VARCHAR`;
}
