import {
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  LOG_LEVEL_META_KEY,
  type MessageExtraInfo,
  type ServerContext,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Caller } from '../context.ts';
import { type EventStream, mayBeLost, openEventStream } from './event-stream.ts';

/** The response to one request. */
export interface ChannelResponse {
  readonly message: JSONRPCResponse;
  /** Whether the protocol layer rejected the request before any handler ran. */
  readonly refused: boolean;
}

/**
 * The outcome of one request: its response, or a stream that ends with the response. A cancelled request gets an
 * empty stream.
 */
export type Outlet = ChannelResponse | { readonly stream: ReadableStream<Uint8Array> };

/** A request with its sender. */
export interface Incoming {
  readonly request: JSONRPCRequest;
  readonly caller: Caller;
}

interface PendingRequest {
  readonly id: JSONRPCRequest['id'];
  readonly caller: Caller;
  readonly cancel: () => void;
  delivering: boolean;
  stream: EventStream | null;
  /** The ids of our own requests to the client, by the server's; their answers are dropped when the call has ended. */
  readonly asked: Map<unknown, number>;
  readonly settle: (outlet: Outlet) => void;
}

/** The id of our last request to a client. A session may meet several servers, which all begin to count at 0. */
let lastAsked = 0;

/**
 * Carries the requests of all clients to one server at once, each under an id of its own: a server
 * and a transport for each request cost more than the rest of the call.
 */
export class Channel implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  #exchanges = new Map<JSONRPCRequest['id'], PendingRequest>();
  #last = 0;

  async start(): Promise<void> {}

  /**
   * Resolves with the server's response under the client's own id, or with a stream as soon as something else is
   * sent.
   */
  exchange({ request, caller }: Incoming): Promise<Outlet> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((settle) => {
      const cancelling = needsCancel(request, caller) ? new AbortController() : null;
      const exchange: PendingRequest = {
        id: request.id,
        caller: cancelling === null ? caller : withSignal(caller, cancelling.signal),
        cancel: () => {
          cancelling?.abort();
          this.#drop(id);
        },
        delivering: true,
        stream: null,
        asked: new Map(),
        settle,
      };
      this.#exchanges.set(id, exchange);
      caller.session?.calls.set(request.id, exchange.cancel);
      this.onmessage?.({ ...request, id });
      exchange.delivering = false;
    });
  }

  /** The sender of the request that a handler is answering. */
  readonly callerOf = (context: ServerContext): Caller => this.#exchangeOf(context).caller;

  /** The id that the client gave to the request that a handler is answering. */
  readonly idOf = (context: ServerContext): JSONRPCRequest['id'] => this.#exchangeOf(context).id;

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message) return this.#sendBeside(message, options?.relatedRequestId);
    const exchange = message.id === undefined ? undefined : this.#take(message.id);
    if (exchange === undefined) return;
    const response = { ...message, id: exchange.id };
    if (exchange.stream === null) {
      const refused = exchange.delivering && isJSONRPCErrorResponse(message);
      return exchange.settle({ message: response, refused });
    }
    exchange.stream.write(response);
    exchange.stream.close();
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  /** Sends a notification or a request on the stream of the request with this id. Does nothing if that request is over or accepts no stream. */
  #sendBeside(message: JSONRPCRequest | JSONRPCNotification, id: JSONRPCRequest['id'] | undefined): void {
    const exchange = id === undefined ? undefined : this.#exchanges.get(id);
    if (exchange === undefined || exchange.caller.streams !== true) return;
    exchange.stream ??= this.#openStream(exchange);
    if ('id' in message && message.id !== undefined) {
      const { id: own } = message;
      lastAsked += 1;
      exchange.asked.set(own, lastAsked);
      exchange.caller.session?.pending.set(lastAsked, (response) =>
        this.onmessage?.({ ...response, id: own }),
      );
      exchange.stream.write({ ...message, id: lastAsked });
    } else if (mayBeLost(message)) exchange.stream.offer(message);
    else exchange.stream.write(withAskedId(message, exchange.asked));
  }

  #openStream({ cancel, settle }: PendingRequest): EventStream {
    const stream = openEventStream(cancel);
    settle({ stream: stream.readable });
    return stream;
  }

  /** Drops a cancelled request, which gets no response. */
  #drop(id: JSONRPCRequest['id']): void {
    const exchange = this.#take(id);
    if (exchange === undefined) return;
    const stream = exchange.stream ?? this.#openStream(exchange);
    stream.close();
  }

  #take(id: JSONRPCRequest['id']): PendingRequest | undefined {
    const exchange = this.#exchanges.get(id);
    this.#exchanges.delete(id);
    if (exchange === undefined) return undefined;
    const { session, leave } = exchange.caller;
    leave?.();
    session?.calls.delete(exchange.id);
    for (const asked of exchange.asked.values()) session?.pending.delete(asked);
    return exchange;
  }

  #exchangeOf({ mcpReq }: ServerContext): PendingRequest {
    const exchange = this.#exchanges.get(mcpReq.id);
    if (exchange === undefined) throw new Error('the request is already answered');
    return exchange;
  }
}

/**
 * Whether a request can be cancelled other than by its connection. Only these get a signal of their own, which is
 * costly.
 */
function needsCancel({ method, params }: JSONRPCRequest, { session }: Caller): boolean {
  const { progressToken, [LOG_LEVEL_META_KEY]: level } = params?._meta ?? {};
  const streams = progressToken !== undefined || level !== undefined || method === 'subscriptions/listen';
  return streams || session !== undefined;
}

/** A cancellation of our own request, with the id by which the client knows it; any other message unchanged. */
function withAskedId(message: JSONRPCMessage, asked: PendingRequest['asked']): JSONRPCMessage {
  if (!('params' in message) || !('method' in message)) return message;
  const requestId = asked.get(message.params?.requestId);
  if (message.method !== 'notifications/cancelled' || requestId === undefined) return message;
  return { ...message, params: { ...message.params, requestId } };
}

function withSignal(caller: Caller, signal: AbortSignal): Caller {
  return { ...caller, signal: AbortSignal.any([caller.signal, signal]) };
}
