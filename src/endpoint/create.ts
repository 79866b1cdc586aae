import type { Catalog } from '../catalog/model.ts';
import type { Database, Log, Spans } from '../ports.ts';
import { NO_SPANS } from './quiet.ts';
import type { CallObserver } from './record.ts';
import type { Runtime } from './runtime.ts';

/** What a runtime is made from. */
export interface RuntimeParts {
  readonly catalog: Catalog;
  readonly open: () => Promise<Database>;
  readonly log: Log;
  readonly observe?: CallObserver;
  readonly admit?: () => void;
  /** Default: nobody records. */
  readonly spans?: Spans;
}

/** A runtime that opens its database on the first call that needs it. */
export function createRuntime({ open, ...parts }: RuntimeParts): Runtime {
  return { spans: NO_SPANS, ...parts, database: openOnce(open), clock: Date };
}

/** Everybody shares one attempt; after a failure the next call makes a new one. */
function openOnce(open: () => Promise<Database>): () => Promise<Database> {
  let opened: Promise<Database> | null = null;
  return () => {
    opened ??= open().catch((error) => {
      opened = null;
      throw error;
    });
    return opened;
  };
}
