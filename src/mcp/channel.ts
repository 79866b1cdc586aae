import {
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type MessageExtraInfo,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';

/** The response to one request. */
export interface Answer {
  readonly message: JSONRPCResponse;
  /** Given before any handler ran: the protocol layer refused the request. */
  readonly refused: boolean;
}

interface Exchange {
  readonly id: JSONRPCRequest['id'];
  readonly caller: Caller;
  delivering: boolean;
  readonly settle: (answer: Answer) => void;
}

/**
 * Carries the requests of all clients to one server at once, each under an id of its own: a server
 * and a transport for each request cost more than the rest of the call.
 */
export class Channel implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  #exchanges = new Map<JSONRPCRequest['id'], Exchange>();
  #last = 0;

  async start(): Promise<void> {}

  /** Resolves with the server's response under the client's own id. */
  exchange(request: JSONRPCRequest, caller: Caller): Promise<Answer> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((settle) => {
      const exchange = { id: request.id, caller, delivering: true, settle };
      this.#exchanges.set(id, exchange);
      this.onmessage?.({ ...request, id });
      exchange.delivering = false;
    });
  }

  /** Who sent the request that a handler is answering. */
  readonly callerOf = (context: ServerContext): Caller => {
    const exchange = this.#exchanges.get(context.mcpReq.id);
    if (exchange === undefined) throw new Error('the request is already answered');
    return exchange.caller;
  };

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message || message.id === undefined) return;
    const exchange = this.#exchanges.get(message.id);
    if (exchange === undefined) return;
    this.#exchanges.delete(message.id);
    const refused = exchange.delivering && isJSONRPCErrorResponse(message);
    exchange.settle({ message: { ...message, id: exchange.id }, refused });
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
