import type { Catalog } from '../catalog/model.ts';
import { cancelledError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { Clock, Database, Log, Python, Spans } from '../ports.ts';
import { NO_SPANS } from '../telemetry/no-spans.ts';
import type { ResultCache } from './cache.ts';
import type { CallObserver } from './call-record.ts';
import type { Block } from './content-blocks.ts';

/** Everything that a call runs against. */
export interface Runtime {
  readonly catalog: Catalog;
  /** The opened database; opened on first use, once. */
  readonly database: () => Promise<Database>;
  /** Opened on first use, once; absent on a platform that runs no Python. */
  readonly python?: () => Promise<Python>;
  readonly spans: Spans;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives a record of every call when it ends; absent without audit, metrics and logs. */
  readonly observe?: CallObserver;
  /** Runs before each call; throws SvcError while the server must not answer calls. */
  readonly admit?: () => void;
  /** Runs after `observe`; the answer waits for the promise. Null if the record need not be waited for. */
  readonly written?: () => Promise<void> | null;
  /** Keeps results that cannot change; absent where each call must run. */
  readonly cache?: ResultCache;
  /** Takes the hold of one request; see `withLease`. Absent where nothing is exchanged. */
  readonly lease?: () => Lease;
}

/** The reason and the place of a cut. */
export interface Truncation {
  readonly reason: 'rows' | 'bytes';
  readonly limit: number;
  readonly hint: string;
}

/** The answer of a tool or a resource: the value in its declared shape. */
export interface Outcome {
  readonly value: JsonValue;
  /**
   * The value as text: JSON, or the value itself if it is a string. Made once, for the size limit and the response.
   */
  readonly text: string;
  readonly truncated: Truncation | null;
  /** The names of a statement's columns in their order, if its rows have another: an object has keys such as `2024` first. */
  readonly columns?: readonly string[];
  /** The value is one BLOB as base64, of the endpoint's `mime_type`. */
  readonly binary?: boolean;
  /** The content of a tool that declares `content: rows`; clients get it in place of the value. */
  readonly blocks?: readonly Block[];
}

/** The parts that a runtime is made from. */
export interface RuntimeDeps {
  readonly catalog: Catalog;
  readonly open: () => Promise<Database>;
  readonly openPython?: () => Promise<Python>;
  readonly log: Log;
  readonly observe?: CallObserver;
  readonly admit?: () => void;
  readonly written?: () => Promise<void> | null;
  readonly cache?: ResultCache;
  /** Default: no spans. */
  readonly spans?: Spans;
}

/** The parts of a runtime that a reload exchanges. */
export type LeasedParts = Pick<Runtime, 'database' | 'python'>;

/** The hold of one request on the database and the Python, with their settings, that were in use when it entered. */
export interface Lease {
  readonly parts: LeasedParts;
  /** Rejects if the server ends before the request does; never settles otherwise. */
  readonly over: Promise<never>;
  /** Gives the parts back. Those that a reload has replaced are closed after their last request. */
  release(): void;
}

/** A runtime that opens its database, and its Python, on the first call that needs it. */
export function createRuntime({ open, openPython, ...parts }: RuntimeDeps): Runtime {
  const python = openPython === undefined ? {} : { python: openOnce(openPython) };
  return { spans: NO_SPANS, ...parts, database: openOnce(open), ...python, clock: Date };
}

/** Opens a port once: all calls share one attempt. After a failure the next call starts a new one. */
export function openOnce<Port>(open: () => Promise<Port>): () => Promise<Port> {
  let opened: Promise<Port> | null = null;
  return () => {
    opened ??= open().catch((error) => {
      opened = null;
      throw error;
    });
    return opened;
  };
}

/**
 * Runs one request on the parts that are in use now, whatever a reload does meanwhile. Throws the reason if the server
 * ends before the request does. Work inside a request shares its lease.
 *
 *     await withLease(runtime, signal, async (leased) => (await leased.database()).run(request, call));
 */
export async function withLease<T>(
  runtime: Runtime,
  signal: AbortSignal,
  work: (leased: Runtime) => Promise<T>,
): Promise<T> {
  const { lease, ...own } = runtime;
  if (lease === undefined) return work(runtime);
  if (signal.aborted) throw cancelledError();
  const { parts, over, release } = lease();
  try {
    return await Promise.race([work({ ...own, ...parts }), over]);
  } finally {
    release();
  }
}
