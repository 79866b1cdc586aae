import type { ResourceEntry, ToolEntry } from '../catalog/model.ts';
import type { JsonValue } from '../json.ts';
import type { Database, SqlCall, SqlRequest } from '../ports.ts';
import { type Definitions, isPure } from '../sql/cache/pure.ts';
import { mayKeep } from '../sql/lanes/may-keep.ts';
import type { SqlValue } from '../sql-value.ts';
import type { Produced } from './result.ts';

/** The statement of one call of an endpoint. */
export interface CachedQuery {
  readonly entry: ToolEntry | ResourceEntry;
  readonly database: Database;
  readonly request: SqlRequest;
  readonly call: SqlCall;
  /** The time of the call, in milliseconds. */
  readonly now: number;
}

/** The place of one call's result in the cache. */
export interface Slot {
  /** The result of an earlier call; null if it must be made. */
  readonly found: Produced | null;
  /** Keeps a result for later calls. Nothing can change its value from then on. */
  keep(result: Produced): void;
}

/**
 * Results of statements on data that cannot change while the database is open. A result is cached only if its statement
 * reads nothing but its parameters and that data, from the second call with the same values on. Scopes, policies, masks
 * and records are no part of a result: every call meets them.
 *
 * With `cache: { ttl }`, an endpoint keeps the results of any read for that time, for the same caller only.
 */
export interface ResultCache {
  /** Returns the slot of a call; null if its result must not be kept. */
  find(query: CachedQuery): Promise<Slot | null>;
}

/** All results, and the largest one, in bytes as JSON; objects take several times as much memory. */
const MOST_BYTES = 4_194_304;
const LARGEST_BYTES = 262_144;
/** The number of keys that are remembered as asked once. */
const MOST_ASKED = 4_096;
const LONGEST_KEY = 1_024;
/** The time for the list of views and macros. A call waits for it as long as one of its own statements may take. */
const DEFINE_TIMEOUT_MS = 5_000;

/** Null if the work takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, ms, null);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Creates an empty cache. Each opened database has its own results, so a reload begins anew. */
export function createResultCache(): ResultCache {
  const stores = new WeakMap<Database, ResultCache>();
  return {
    async find(query) {
      const { database, request, entry } = query;
      if (entry.cache === undefined ? database.unchanging !== true : request.mode !== 'read') return null;
      const store = stores.get(database) ?? createStore();
      stores.set(database, store);
      return store.find(query);
    },
  };
}

function createStore(): ResultCache {
  const kept = new Map<string, Kept>();
  const asked = new Set<string>();
  const endpoints = new WeakMap<CachedQuery['entry'], Endpoint>();
  let last = 0;
  let bytes = 0;
  let definitions: Promise<Definitions | null> | null = null;

  function keep(key: string, result: Produced, from: number): void {
    const size = freeze(result.value) + key.length;
    if (size > LARGEST_BYTES) return;
    forget(key);
    kept.set(key, { result, bytes: size, from });
    bytes += size;
    for (const [oldest, entry] of kept) {
      if (bytes <= MOST_BYTES) return;
      kept.delete(oldest);
      bytes -= entry.bytes;
    }
  }

  function forget(key: string): void {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  /** A result that is too old is forgotten. So is one of the future, which a clock that was set back makes. */
  function recall(key: string, now: number, ttlMs: number): Produced | null {
    const found = kept.get(key);
    if (found === undefined) return null;
    kept.delete(key);
    const age = now - found.from;
    if (age >= 0 && age < ttlMs) {
      // The one used longest ago comes first.
      kept.set(key, found);
      return found.result;
    }
    bytes -= found.bytes;
    return null;
  }

  /**
   * Asks the database for its views and macros, once. Null after a failure: the call goes on without the cache, and the
   * next one asks again. Other calls wait for the same answer, so it does not end with the call that asked.
   */
  function define(database: Database): Promise<Definitions | null> {
    const { signal } = new AbortController();
    const call = { signal, caller: null, timeoutMs: DEFINE_TIMEOUT_MS };
    definitions ??= readDefinitions(database, call).catch(() => {
      definitions = null;
      return null;
    });
    return definitions;
  }

  function endpointOf({ entry, request }: CachedQuery): Endpoint {
    const known = endpoints.get(entry);
    if (known !== undefined) return known;
    last += 1;
    const made: Endpoint = { number: last, pure: mayKeep(request) ? null : false };
    endpoints.set(entry, made);
    return made;
  }

  return {
    async find(query) {
      const { entry, database, request, call, now } = query;
      const endpoint = endpointOf(query);
      const timed = entry.cache !== undefined;
      if (endpoint.pure === false && !timed) return null;
      const values = JSON.stringify(request.values, toKeyPart);
      const key = `${endpoint.number} ${values}${timed ? ` ${JSON.stringify(identityOf(call))}` : ''}`;
      if (key.length > LONGEST_KEY) return null;
      const found = recall(key, now, entry.cache?.ttlMs ?? Number.POSITIVE_INFINITY);
      if (found !== null) return { found, keep: () => {} };
      if (timed) return { found: null, keep: (result) => keep(key, result, now) };
      if (!asked.has(key)) {
        if (asked.size >= MOST_ASKED) asked.clear();
        asked.add(key);
        return null;
      }
      const known = endpoint.pure === null ? await within(define(database), call.timeoutMs) : null;
      if (known !== null) endpoint.pure = isPure(request.sql, known);
      return endpoint.pure ? { found: null, keep: (result) => keep(key, result, 0) } : null;
    },
  };
}

interface Kept {
  readonly result: Produced;
  readonly bytes: number;
  /** The time at which its statement began. */
  readonly from: number;
}

/** All that a statement with `cache` can learn of its caller; null for an anonymous one. */
function identityOf({ caller }: SqlCall): readonly (string | null)[] | null {
  if (caller === null) return null;
  if (caller.headers !== null || caller.externalToken !== null)
    throw new Error('A statement whose result is cached must not see headers or tokens.');
  return [caller.provider, caller.username, caller.email];
}

/** An endpoint's part of the keys, and whether its statement is pure; null before that is known. */
interface Endpoint {
  readonly number: number;
  pure: boolean | null;
}

async function readDefinitions(database: Database, call: SqlCall): Promise<Definitions> {
  const views = Map.groupBy(await rowsOf(database, VIEWS, call), ({ name }) => String(name).toLowerCase());
  const macros = await rowsOf(database, MACROS, call);
  return {
    views: new Map([...views].map(([name, rows]) => [name, rows.map(({ sql }) => String(sql))])),
    macros: new Set(macros.map(({ name }) => String(name).toLowerCase())),
    overridden: macros.some(({ overrides }) => overrides === true),
  };
}

/** Generated columns may call any function, and nothing of a query shows that it reads one. */
const VIEWS = `SELECT view_name AS name, sql FROM duckdb_views() WHERE NOT internal
UNION ALL SELECT table_name, '' FROM duckdb_tables() WHERE sql ILIKE '%generated always%'`;
const MACROS = `WITH functions AS MATERIALIZED (FROM duckdb_functions())
SELECT DISTINCT function_name AS name,
  lower(function_name) IN (SELECT function_name FROM functions WHERE internal) AS overrides
FROM functions WHERE NOT internal AND function_type IN ('macro', 'table_macro') AND database_name <> 'temp'`;
const MOST_DEFINITIONS = 100_000;

async function rowsOf(database: Database, sql: string, call: SqlCall) {
  const request = { sql, values: [], mode: 'read', maxRows: MOST_DEFINITIONS } as const;
  const { rows, truncated } = await database.run(request, call);
  // Nothing is known of those that are missing.
  if (truncated) throw new Error('The database has too many views.');
  return rows;
}

/** Different values have different keys: JSON has no integers beside numbers, and one zero. */
function toKeyPart(_: string, value: SqlValue): JsonValue | SqlValue {
  if (typeof value === 'bigint') return { integer: String(value) };
  if (typeof value === 'number') return { double: Object.is(value, -0) ? '-0' : String(value) };
  return value;
}

/** Freezes a value to its depth, and returns about the length of its JSON. */
function freeze(value: JsonValue): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  Object.freeze(value);
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + 4 + freeze(item), 2);
}
