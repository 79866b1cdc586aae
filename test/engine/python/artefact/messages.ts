import type { NotificationLevel } from '../../../../src/context.ts';
import type { ErrorCode } from '../../../../src/errors.ts';
import type { JsonObject } from '../../../../src/json.ts';
import type { LogLine, PythonRequest, PythonResult } from '../../../../src/ports.ts';
import type { SqlValue } from '../../../../src/sql-value.ts';

/* What a test and an artefact say to each other about one call, so that the contract's hosts answer from here. */

/** An error without its class. */
export interface Told {
  readonly code: ErrorCode;
  readonly message: string;
  readonly cause: string;
}

/** What a test says. */
export type ToArtefact =
  | { readonly op: 'call'; readonly request: PythonRequest; readonly timeoutMs: number }
  | { readonly op: 'rows'; readonly id: number; readonly rows: readonly JsonObject[] }
  | { readonly op: 'refused'; readonly id: number; readonly error: Told }
  | { readonly op: 'cancel' };

/** What an artefact says. */
export type FromArtefact =
  | {
      readonly op: 'execute';
      readonly id: number;
      readonly sql: string;
      readonly params: { readonly [name: string]: SqlValue };
    }
  | { readonly op: 'notice'; readonly level: NotificationLevel; readonly text: string }
  | { readonly op: 'progress'; readonly told: readonly [number, number | null, string] }
  | { readonly op: 'event'; readonly event: JsonObject }
  | { readonly op: 'log'; readonly line: LogLine }
  | { readonly op: 'done'; readonly result: PythonResult }
  | { readonly op: 'failed'; readonly error: Told };

/** Messages of one call; each end sees those of the other. */
export interface Channel<Sent, Heard> {
  send(message: Sent): void;
  onMessage(take: (message: Heard) => void): void;
}

const BIG = '$bigint';

/** A message as text; SQL values may hold bigints. */
export function encode(message: unknown): string {
  return JSON.stringify(message, (_key, value) =>
    typeof value === 'bigint' ? { [BIG]: String(value) } : value,
  );
}

/** The message of a text. */
export function decode<T>(text: string): T {
  return JSON.parse(text, (_key, value) =>
    typeof value === 'object' && value !== null && BIG in value ? BigInt(value[BIG]) : value,
  );
}
