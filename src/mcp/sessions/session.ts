import type { JSONRPCRequest, JSONRPCResponse } from '@modelcontextprotocol/server';
import type { ElicitationRequest } from '../../context.ts';
import { type CatalogChange, toNotifications } from '../changes.ts';
import type { EventStream } from '../transport/event-stream.ts';

type MessageId = JSONRPCRequest['id'];

/**
 * The state that a server keeps for one legacy client. The identity is not part of it: every request carries its
 * own.
 */
export interface McpSession {
  readonly id: string;
  /** The kinds of questions that the client can answer, as `initialize` declared. */
  answers: readonly ElicitationRequest['kind'][];
  /** Whether the client shows views of results (MCP Apps). */
  showsViews: boolean;
  /** The least level of log lines that the client asked for; null: none. */
  level: string | null;
  /** The URIs that the client watches. */
  readonly subscriptions: Set<string>;
  /** Cancel functions of running calls, by the client's request id. */
  readonly calls: Map<MessageId, () => void>;
  /** Receivers of the client's responses to our requests, by our request id. */
  readonly pending: Map<MessageId, (response: JSONRPCResponse) => void>;
  /** The stream for messages that belong to no call. */
  stream: EventStream | null;
}

/** Makes the state of a new client. */
export function createSession(id: string): McpSession {
  return {
    id,
    answers: [],
    showsViews: false,
    level: null,
    subscriptions: new Set(),
    calls: new Map(),
    pending: new Map(),
    stream: null,
  };
}

/** Notifies a session that listens of a change, with one notification for each value that is taken. */
export function* notifySession(session: McpSession, change: CatalogChange): Generator<void> {
  if (session.stream === null) return;
  for (const notification of toNotifications(change, session.subscriptions)) {
    session.stream?.write({ jsonrpc: '2.0', ...notification });
    yield;
  }
}
