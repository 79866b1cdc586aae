import type { Catalog } from '../catalog/model.ts';
import type { JsonValue } from '../json.ts';
import type { Clock, Database, Log, Python, Spans } from '../ports.ts';
import type { Block } from './blocks.ts';
import type { CallObserver } from './record.ts';

/** What a call runs against; a reload makes a new one. */
export interface Runtime {
  readonly catalog: Catalog;
  /** The opened database; opened on first use, once. */
  readonly database: () => Promise<Database>;
  /** Opened on first use, once; absent on a platform that runs no Python. */
  readonly python?: () => Promise<Python>;
  readonly spans: Spans;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every call once it has ended; absent where nobody watches. */
  readonly observe?: CallObserver;
  /** Asked before each call; throws SvcError while none may be answered. */
  readonly admit?: () => void;
}

/** Why and where a result was cut. */
export interface Truncation {
  readonly reason: 'rows' | 'bytes';
  readonly limit: number;
  readonly hint: string;
}

/** What a call of a tool or a resource answered: the value in its declared shape. */
export interface Outcome {
  readonly value: JsonValue;
  /** The value as text: JSON, or the value itself when it is a string. Made once, for the budget and the reply. */
  readonly text: string;
  readonly truncated: Truncation | null;
  /** The value is one BLOB as base64, of the endpoint's `mime_type`. */
  readonly binary?: boolean;
  /** Of a tool whose rows are content: what clients get in place of the value. */
  readonly blocks?: readonly Block[];
}
