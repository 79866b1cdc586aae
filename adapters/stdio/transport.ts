import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { strictUtf8 } from '../../src/limited-text.ts';
import { type ReadResult, readMessage } from '../../src/mcp/transport/message.ts';
import { NOT_UTF8, type Rejection, toRejection } from '../../src/mcp/transport/rejection.ts';

/** The streams of a connection and its limits. */
export interface StreamOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly maxBytes: number;
  /** The time that running calls have after the input has ended, in milliseconds. */
  readonly graceMs: number;
  /** Called after this time; must answer the calls that still run. */
  readonly cutOff?: () => void;
}

/** The time to write the answers of calls that are cut off, in milliseconds. */
const ANSWER_MS = 250;

const NEWLINE = Buffer.from('\n');

/**
 * Reads and writes JSON-RPC messages, one a line. Running calls are answered after the input has ended; the
 * SDK's own transport drops them.
 */
export class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the connection is closed. */
  readonly ended: Promise<void>;
  readonly #options: StreamOptions;
  readonly #lines: ReturnType<typeof createLineReader>;
  readonly #running = new Set<unknown>();
  #grace: NodeJS.Timeout | undefined;
  #inputEnded = false;
  #closed = false;
  readonly #over: () => void;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#lines = createLineReader(options.maxBytes);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#over = resolve;
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    input.on('data', this.#receive);
    // The end of the input ends its last line.
    input.once('end', () => {
      if (!this.#inputEnded) this.#receive(NEWLINE);
    });
    for (const event of ['end', 'close', 'error']) input.once(event, this.#end);
    for (const event of ['close', 'error']) output.once(event, () => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#grace);
    this.#options.input.off('data', this.#receive).pause();
    this.onclose?.();
    this.#over();
  }

  /** Reads no more. Closes when the running calls are answered. */
  stop(): void {
    this.#options.input.off('data', this.#receive).pause();
    this.#end();
  }

  readonly #receive = (chunk: Buffer): void => {
    for (const line of this.#lines(chunk)) {
      if (line === null) this.#refuse(tooLong(this.#options.maxBytes));
      else this.#receiveLine(line);
    }
  };

  #receiveLine(bytes: Buffer): void {
    const read = readLine(bytes);
    if (read === null) return;
    if (read.ok) this.#deliver(read.value);
    else this.#refuse(read.rejection, read.body);
  }

  #deliver(message: JSONRPCMessage): void {
    const method = 'method' in message ? message.method : null;
    // A client that listens to changes is answered when the connection ends, so nothing waits for that.
    const isAnswered = method !== null && method !== 'subscriptions/listen';
    if (isAnswered && 'id' in message && message.id !== undefined) this.#running.add(message.id);
    this.onmessage?.(message);
    // A cancelled request is never answered.
    if (method === 'notifications/cancelled' && 'params' in message) this.#settle(message.params?.requestId);
  }

  #refuse(refusal: Rejection, body?: Parameters<typeof toRejection>[1]): void {
    void this.#write(toRejection(refusal, body));
  }

  #settle(id: unknown): void {
    this.#running.delete(id);
    if (this.#inputEnded && this.#running.size === 0) void this.close();
  }

  readonly #end = (): void => {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    if (this.#running.size === 0) void this.close();
    else this.#grace = setTimeout(this.#cutOff, this.#options.graceMs);
  };

  readonly #cutOff = (): void => {
    this.#grace = setTimeout(() => void this.close(), ANSWER_MS);
    this.#options.cutOff?.();
  };

  #write(message: unknown): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const { input, output } = this.#options;
    return new Promise((resolve) => {
      const roomy = output.write(`${JSON.stringify(message)}\n`, () => resolve());
      if (roomy || input.isPaused()) return;
      // A client that does not read its responses has its requests wait too.
      input.pause();
      output.once('drain', () => input.resume());
    });
  }
}

/** Reads a line as a message; null for an empty line. */
function readLine(bytes: Buffer): ReadResult<JSONRPCMessage> | null {
  try {
    const line = strictUtf8.decode(bytes);
    return line.trim() === '' ? null : readMessage(line);
  } catch {
    return { ok: false, rejection: NOT_UTF8 };
  }
}

function tooLong(maxBytes: number): Rejection {
  return {
    status: 413,
    code: -32600,
    message: `Invalid request: a message is larger than ${maxBytes} bytes.`,
  };
}

/** A line of a stream; null for a line that was longer than the limit. */
type Line = Buffer | null;

/** Creates a function that splits chunks into lines and keeps at most `limit` bytes of an unfinished line. */
function createLineReader(limit: number): (chunk: Buffer) => Line[] {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length > limit) parts = [];
    else parts.push(part);
  };
  const take = (): Line => {
    const line = length > limit ? null : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  return (chunk) => {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end));
      lines.push(take());
      start = end + 1;
    }
    keep(chunk.subarray(start));
    return lines;
  };
}
