import type { SqlCaller, SqlRequest } from '../../ports.ts';
import { classify } from '../statement.ts';
import { bindCaller } from './caller-parameters.ts';

/**
 * Words of functions that read or change the state of a connection, or that name the caller. A statement that has one
 * of them anywhere gets a connection of its own for each call.
 */
const OWN_CONNECTION =
  /setseed|nextval|currval|getvariable|current_(?:query|connection|transaction)|txid|pragma|duckdb_|get_user|get_request|sleep|\bstats\b|\bset\b/i;

const known = new Map<string, boolean>();
const MOST_KNOWN = 1_000;
/** The longest text that is kept, in characters. */
const LONGEST = 20_000;
/** DuckDB takes the limit as an INTEGER. */
const MOST_ROWS = 2 ** 31 - 2;

/**
 * Whether a request may run on a connection that is kept for the next call. Its author is the project's, and its text
 * shows a query that depends on nothing but its parameters, the data and the time. In doubt the answer is no.
 */
export function mayKeep(request: SqlRequest): boolean {
  return isAuthors(request) && isPlainQuery(request.sql);
}

/** Whether a request is a plain read of the project. Nothing is remembered of other texts, which callers write. */
function isAuthors({ sql, mode, maxRows, confined, restricted, scan, unattached }: SqlRequest): boolean {
  const plain = !confined && restricted === undefined && scan === undefined && !unattached;
  return mode === 'read' && plain && maxRows <= MOST_ROWS && sql.length <= LONGEST;
}

/**
 * The request as it may run on a kept connection: as it is, or with its caller as parameters. Null if it needs a
 * connection of its own.
 */
export function toKept(request: SqlRequest, caller: SqlCaller | null): SqlRequest | null {
  if (!isAuthors(request)) return null;
  if (isPlainQuery(request.sql)) return request;
  const bound = bindCaller(request, caller);
  return bound !== null && mayKeep(bound) ? bound : null;
}

function isPlainQuery(sql: string): boolean {
  const before = known.get(sql);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const answer = !OWN_CONNECTION.test(sql) && isSelect(sql);
  known.set(sql, answer);
  return answer;
}

function isSelect(sql: string): boolean {
  const { mode, operation } = classify(sql);
  return mode === 'read' && (operation === 'SELECT' || operation === 'VALUES');
}
