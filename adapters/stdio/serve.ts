import { type Readable, Writable } from 'node:stream';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import type { Runtime } from '../../src/call/runtime.ts';
import { MAX_BODY_BYTES } from '../../src/http/body.ts';
import type { ServeOptions } from '../../src/mcp/server.ts';
import { createStdioFactory } from '../../src/mcp/transport/stdio.ts';
import { StreamTransport } from './transport.ts';

/** Options of the stdio transport. */
export interface StdioOptions extends ServeOptions {
  readonly runtime: Runtime;
  /** Default: stdin. */
  readonly input?: Readable;
  /** Default: stdout, which the rest of the process then no longer writes to. */
  readonly output?: Writable;
  /** The time that running calls have after the client has closed its end, in milliseconds. */
  readonly graceMs?: number;
  /** Called after this time; must answer the calls that still run. */
  readonly cutOff?: () => void;
}

/** The connection of a stdio server. */
export interface StdioConnection {
  /** Resolves when the client has closed its end and the running calls are answered, or after `close`. */
  readonly ended: Promise<void>;
  /** Reads no more, and closes when the running calls are answered, at the latest after `graceMs`. */
  stop(): Promise<void>;
  /** Ends the connection at once and cancels running calls. */
  close(): Promise<void>;
}

/** Clients send SIGTERM about two seconds after they have closed stdin. */
const GRACE_MS = 1_500;

/** Serves MCP over stdin and stdout in both eras (MCP Transports, stdio). */
export function serveStdio({
  runtime,
  input,
  output,
  graceMs,
  cutOff,
  ...options
}: StdioOptions): StdioConnection {
  const transport = new StreamTransport({
    input: input ?? process.stdin,
    output: output ?? claimStdout(),
    maxBytes: MAX_BODY_BYTES,
    graceMs: graceMs ?? GRACE_MS,
    ...(cutOff === undefined ? {} : { cutOff }),
  });
  const connection = serveConnection(createStdioFactory(runtime, options), {
    transport,
    onerror: ({ message }) => runtime.log({ level: 'debug', message: `mcp: ${message}` }),
  });
  return {
    ended: transport.ended,
    stop: async () => {
      transport.stop();
      await transport.ended;
    },
    close: () => connection.close(),
  };
}

/** The time to write the last lines of the log, in milliseconds. */
const LOG_MS = 250;

/**
 * Ends the process soon after its work is done, also if the client leaves its log on stderr unread. All answers on stdout
 * are written first.
 */
export function exitSoon(): void {
  const end = () => {
    if (process.stdout.writableLength === 0) process.exit();
  };
  setInterval(end, LOG_MS).unref();
}

/** Reserves stdout for the protocol. All other output of the process goes to stderr from now on. */
function claimStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      write(chunk, (error) => done(error));
    },
  });
  process.stdout.on('error', (error) => output.destroy(error));
  return output;
}
