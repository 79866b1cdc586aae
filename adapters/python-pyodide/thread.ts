import { Worker } from 'node:worker_threads';
import { SvcError } from '../../src/errors.ts';
import type { Log } from '../../src/ports.ts';
import type { Conceal } from '../../src/redaction/redact.ts';
import type { PythonSeat } from '../python/pool/pool.ts';
import { createLines, type PrintedLines } from '../python/printed-lines.ts';
import { MAX_FRAME, tooLarge } from '../python/protocol/frames.ts';
import { PendingRequest } from '../python/protocol/pending-request.ts';
import type { HostModules } from './interpreter.ts';

/** The `workerData` of a thread. */
export interface ThreadSetup {
  /** The folder with Pyodide's files, as a URL. */
  readonly pyodide: string;
  readonly wasm: WebAssembly.Module;
  /** The file with the snapshot, as a URL; null for a start without one. */
  readonly snapshot: string | null;
  readonly modules: HostModules;
  readonly memoryMb: number;
  /** The project's folder. */
  readonly root: string;
  /** The path of this folder inside Python. */
  readonly mount: string;
  /** The number of messages that were posted to the thread. Its change wakes the thread. */
  readonly posted: Int32Array<SharedArrayBuffer>;
}

/** A message of a thread. */
export type FromThread =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly line: string };

/** Options of a thread. */
export interface ThreadOptions extends Omit<ThreadSetup, 'posted'> {
  /** The entry of the thread. */
  readonly workerUrl: URL;
  readonly log: Log;
  /** Removes secrets from the output. */
  readonly conceal: Conceal;
}

/** The limit of JavaScript's heap in megabytes. Python's memory has its own limit. */
const HEAP_MB = 256;

/** An interpreter in its own thread. It takes one text at a time. */
export class PyodideThread implements PythonSeat {
  /** The files that are loaded, so that their functions can be called. */
  readonly loaded = new Set<string>();
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #posted = new Int32Array(new SharedArrayBuffer(4));
  readonly #pending = new PendingRequest();
  readonly #lines: ReturnType<typeof createLines>;

  constructor({ workerUrl, log, conceal, ...setup }: ThreadOptions) {
    this.#lines = createLines(log, conceal);
    const workerData: ThreadSetup = { ...setup, posted: this.#posted };
    this.#worker = new Worker(workerUrl, {
      workerData,
      env: {},
      argv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.#worker.on('message', (message: FromThread) => this.#take(message));
    this.#worker.once('error', (cause) => this.#pending.end(died(cause)));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#worker.once('exit', () => {
      this.#pending.end(died());
      this.#lines.end();
      resolve();
    });
  }

  get alive(): boolean {
    return this.#pending.alive;
  }

  get printed(): PrintedLines {
    return this.#lines;
  }

  /** Sends a text and waits for the answer. A text that is sent during the start waits until it is complete. */
  exchange(text: string): Promise<string> {
    return this.#pending.exchange(() => {
      this.#worker.postMessage(text);
      Atomics.add(this.#posted, 0, 1);
      Atomics.notify(this.#posted, 0);
    });
  }

  /** Ends the thread at once. A pending request is rejected with the reason. */
  kill(reason: SvcError): void {
    this.#pending.end(reason);
    void this.#worker.terminate();
  }

  #take(message: FromThread): void {
    if (message.kind === 'print') this.#lines.write(`${message.line}\n`);
    else if (message.text.length > MAX_FRAME) this.kill(tooLarge());
    else this.#pending.answer(message.text);
  }
}

function died(cause?: unknown): SvcError {
  return new SvcError('python_failed', 'The Python interpreter ended in the middle of the call.', { cause });
}
