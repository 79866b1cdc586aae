import { SvcError } from '../../src/errors.ts';
import type { Instance } from './instance.ts';
import { toHalves } from './values.ts';

/** Runs a statement with one text bound, and hands over where the first value of its result lies. */
export type ReadFirst = (sql: string, text: string, read: (at: number) => number) => number;

type Create = (instance: Instance, at: number) => number;

/** How each type's value is made from what a vector of it holds. */
const CREATE: { readonly [sqlType: string]: Create } = {
  DATE: ({ call, heap }, at) => call.duckdb_create_date(heap.view.getInt32(at, true)),
  TIME: ({ call, heap }, at) => call.duckdb_create_time(...halvesAt(heap.view, at)),
  TIMESTAMP: ({ call, heap }, at) => call.duckdb_create_timestamp(...halvesAt(heap.view, at)),
  TIMESTAMPTZ: ({ call, heap }, at) => call.duckdb_create_timestamp_tz(...halvesAt(heap.view, at)),
  INTERVAL: ({ call }, at) => call.duckdb_create_interval(at),
};

function halvesAt(view: DataView, at: number): [number, number] {
  return toHalves(view.getBigInt64(at, true));
}

/** A value of a date or time type from its text, read by DuckDB's own cast. */
export function castText(instance: Instance, sqlType: string, text: string, readFirst: ReadFirst): number {
  const create = CREATE[sqlType];
  if (create === undefined) throw new SvcError('internal', `there are no parameters of type ${sqlType}`);
  return readFirst(`SELECT CAST($1 AS ${sqlType})`, text, (at) => create(instance, at));
}
