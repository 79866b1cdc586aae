import { PassThrough } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { SvcError } from '../../src/errors.ts';
import type { Log } from '../../src/ports.ts';
import { MAX_FRAME } from '../python/frames.ts';
import { followLines, type PrintedLines } from '../python/lines.ts';
import type { PythonSeat } from '../python/seat.ts';
import type { FromThread, ThreadSetup } from './thread-messages.ts';

/** How threads are started. */
export interface ThreadOptions extends Omit<ThreadSetup, 'posted'> {
  /** The thread's entry. */
  readonly workerUrl: URL;
  readonly log: Log;
}

/** The most memory of JavaScript's own; Python's is bounded by itself. */
const HEAP_MB = 256;

/** One interpreter in a thread of its own; whoever holds it sends one text at a time. */
export class PyodideThread implements PythonSeat {
  /** Files whose functions can be called. */
  readonly loaded = new Set<string>();
  /** Settles when the thread is gone. */
  readonly ended: Promise<void>;
  readonly printed: PrintedLines;
  readonly #worker: Worker;
  readonly #posted = new Int32Array(new SharedArrayBuffer(4));
  readonly #output = new PassThrough();
  #pending: PromiseWithResolvers<string> | null = null;
  #gone: SvcError | null = null;

  constructor({ workerUrl, log, ...setup }: ThreadOptions) {
    this.printed = followLines(this.#output, log);
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
    this.#worker.once('error', (cause) => this.#fail(died(cause)));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#worker.once('exit', () => {
      this.#fail(died());
      this.#output.end();
      resolve();
    });
  }

  get alive(): boolean {
    return this.#gone === null;
  }

  /** What is sent while it starts waits until it has. */
  exchange(text: string): Promise<string> {
    if (this.#gone !== null) return Promise.reject(this.#gone);
    const pending = Promise.withResolvers<string>();
    this.#pending = pending;
    this.#worker.postMessage(text);
    Atomics.add(this.#posted, 0, 1);
    Atomics.notify(this.#posted, 0);
    return pending.promise;
  }

  /** Ends the thread at once, whatever runs in it; whoever waits for it gets the reason. */
  kill(reason: SvcError): void {
    this.#fail(reason);
    void this.#worker.terminate();
  }

  #take(message: FromThread): void {
    if (message.kind === 'print') this.#output.write(`${message.line}\n`);
    else if (message.text.length > MAX_FRAME) this.kill(tooLarge());
    else this.#answer(message.text);
  }

  #answer(text: string): void {
    const pending = this.#pending;
    this.#pending = null;
    pending?.resolve(text);
  }

  #fail(reason: SvcError): void {
    this.#gone ??= reason;
    const pending = this.#pending;
    this.#pending = null;
    pending?.reject(this.#gone);
  }
}

function died(cause?: unknown): SvcError {
  return new SvcError('python_failed', 'The Python interpreter ended in the middle of the call.', { cause });
}

function tooLarge(): SvcError {
  return new SvcError('result_too_large', `The function returned more than ${MAX_FRAME / 1024 / 1024} MiB.`);
}
