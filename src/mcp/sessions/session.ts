import type { JSONRPCRequest, JSONRPCResponse } from '@modelcontextprotocol/server';
import type { ElicitationRequest } from '../../context.ts';
import { type Change, toNotifications } from '../changes.ts';
import type { EventStream } from '../transport/event-stream.ts';

type MessageId = JSONRPCRequest['id'];

/** What a server keeps about one client of the legacy era; never who it is, which every request says anew. */
export interface McpSession {
  readonly id: string;
  /** The questions that the client answers, as `initialize` declared; of what else it declares nothing is kept. */
  answers: readonly ElicitationRequest['kind'][];
  /** The least that the client wants to be told about its calls; null: nothing. */
  level: string | null;
  /** URIs whose changes it wants to be told of. */
  readonly subscriptions: Set<string>;
  /** Ends a call that is running, by the client's id. */
  readonly calls: Map<MessageId, () => void>;
  /** Takes the client's response to a request of ours, by our id. */
  readonly pending: Map<MessageId, (response: JSONRPCResponse) => void>;
  /** Where messages go that belong to no call. */
  stream: EventStream | null;
}

/** What is known about a client that has just come. */
export function createSession(id: string): McpSession {
  return {
    id,
    answers: [],
    level: null,
    subscriptions: new Set(),
    calls: new Map(),
    pending: new Map(),
    stream: null,
  };
}

/** Sends what has changed to a session that listens. */
export function notifySession({ stream, subscriptions }: McpSession, change: Change): void {
  if (stream === null) return;
  for (const notification of toNotifications(change, subscriptions)) {
    stream.write({ jsonrpc: '2.0', ...notification });
  }
}
