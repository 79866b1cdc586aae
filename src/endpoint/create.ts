import type { Catalog } from '../catalog/model.ts';
import type { Database, Log, Python, Spans } from '../ports.ts';
import { NO_SPANS } from './quiet.ts';
import type { CallObserver } from './record.ts';
import type { Runtime } from './runtime.ts';

/** What a runtime is made from. */
export interface RuntimeParts {
  readonly catalog: Catalog;
  readonly open: () => Promise<Database>;
  readonly openPython?: () => Promise<Python>;
  readonly log: Log;
  readonly observe?: CallObserver;
  readonly admit?: () => void;
  /** Default: nobody records. */
  readonly spans?: Spans;
}

/** A runtime that opens its database, and its Python, on the first call that needs it. */
export function createRuntime({ open, openPython, ...parts }: RuntimeParts): Runtime {
  const python = openPython === undefined ? {} : { python: openOnce(openPython) };
  return { spans: NO_SPANS, ...parts, database: openOnce(open), ...python, clock: Date };
}

/** Everybody shares one attempt; after a failure the next call makes a new one. */
function openOnce<Port>(open: () => Promise<Port>): () => Promise<Port> {
  let opened: Promise<Port> | null = null;
  return () => {
    opened ??= open().catch((error) => {
      opened = null;
      throw error;
    });
    return opened;
  };
}
