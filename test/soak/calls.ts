import type { Asked } from '../bench/load/exchange.ts';

/**
 * The outcome of one call. `unknown`: a write whose commit had begun when its engine ended. `blamed`: a statement that
 * ran alone when its engine ended. `blocked`: records cannot be written. `refused`: too much to do. `lost`: the
 * connection ended.
 */
export type Outcome =
  | 'right'
  | 'wrong'
  | 'failed'
  | 'unknown'
  | 'blamed'
  | 'blocked'
  | 'refused'
  | 'busy'
  | 'lost';

/** A tool with its share of the load. */
export interface Mixed extends Asked {
  readonly share: number;
}

const VERSION = '2026-07-28';

/** Reads its own row by the primary key. */
export const READ: Mixed = { version: VERSION, tool: 'read', args: '{"id":$id}', share: 6 };
/** Adds a row. */
export const ADD: Mixed = { version: VERSION, tool: 'add', args: '{"id":$id}', share: 2 };
/** Runs a Python function that asks the database. */
export const WORK: Mixed = { version: VERSION, tool: 'work', args: '{"id":$id}', share: 1 };
/** Runs a statement that its caller wrote. */
export const ASK: Mixed = { ...sqlTool("SELECT 'customer ' || $id AS name"), share: 2 };

/** A call of the SQL tool. A comment carries its id into the audit record. */
export function sqlTool(sql: string): Asked {
  const args = JSON.stringify({ sql: `${sql} /* call $id */` });
  return { version: VERSION, tool: 'execute_sql_query', args };
}

/** The id of the call that an audit record is about. */
export function idOf(input: { readonly id?: number; readonly sql?: string }): number {
  return Number(input.id ?? /\/\* call (\d+) \*\//.exec(input.sql ?? '')?.[1]);
}

/** The text for a caller's statement, and for an author's. */
const BLAMED = /The database engine failed on this statement|The query of this endpoint failed/;

/** Judges a response: it must have the caller's own row and nobody else's. */
export function judge(response: string | null, id: number): Outcome {
  if (response === null) return 'lost';
  if (response.includes('Calls cannot be recorded')) return 'blocked';
  if (response.includes('may be there or not')) return 'unknown';
  if (BLAMED.test(response)) return 'blamed';
  if (/; try again\./.test(response)) return 'busy';
  if (response.startsWith('HTTP/1.1 503') && /\r\nretry-after: /i.test(response)) return 'refused';
  if (!response.startsWith('HTTP/1.1 200')) return 'failed';
  if (/"error":|"isError":true/.test(response)) return 'failed';
  const named = response.match(/customer \d+/g) ?? [];
  return named.length > 0 && named.every((name) => name === `customer ${id}`) ? 'right' : 'wrong';
}

/** The generation of the data that a response is from; 0 for data that is never replaced. */
export function generationOf(response: string | null): number {
  return Number(/generation (\d+)/.exec(response ?? '')?.[1] ?? 0);
}
