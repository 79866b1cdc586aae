import { Worker } from 'node:worker_threads';
import { SvcError } from '../../src/errors.ts';
import type { FromThread, ThreadSetup } from './thread-messages.ts';

/** How threads are started. */
export interface ThreadOptions extends Omit<ThreadSetup, 'posted' | 'interrupt'> {
  /** The thread's entry. */
  readonly workerUrl: URL;
  /** Takes what Python prints. */
  readonly print: (line: string) => void;
}

/** The most memory of JavaScript's own; Python's is bounded by itself. */
const HEAP_MB = 256;

/** One interpreter in a thread of its own. */
export class PyodideThread {
  readonly #worker: Worker;
  readonly #posted = new Int32Array(new SharedArrayBuffer(4));
  readonly #interrupt = new Uint8Array(new SharedArrayBuffer(1));
  readonly #print: (line: string) => void;
  #waiting: PromiseWithResolvers<string> | null = null;
  #gone: SvcError | null = null;
  /** Settles when the interpreter takes its first text. */
  readonly ready: Promise<void>;
  /** Settles when the thread is gone. */
  readonly ended: Promise<void>;

  constructor({ workerUrl, print, ...setup }: ThreadOptions) {
    this.#print = print;
    const workerData: ThreadSetup = { ...setup, posted: this.#posted, interrupt: this.#interrupt };
    this.#worker = new Worker(workerUrl, {
      workerData,
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.ready = this.#watch();
    this.ended = new Promise((resolve) => this.#worker.once('exit', () => resolve()));
  }

  async exchange(text: string): Promise<string> {
    if (this.#gone !== null) throw this.#gone;
    this.#waiting = Promise.withResolvers();
    this.#worker.postMessage(text);
    Atomics.add(this.#posted, 0, 1);
    Atomics.notify(this.#posted, 0);
    return this.#waiting.promise;
  }

  /** Ends the thread, whatever runs in it. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #watch(): Promise<void> {
    return new Promise((resolve, reject) => {
      const lose = (cause?: unknown): void => {
        this.#gone ??= lostError(cause);
        reject(this.#gone);
        this.#waiting?.reject(this.#gone);
      };
      this.#worker.on('message', (message: FromThread) => {
        if (message.kind === 'ready') resolve();
        else this.#take(message);
      });
      this.#worker.once('error', lose);
      this.#worker.once('exit', () => lose());
    });
  }

  #take(message: Exclude<FromThread, { kind: 'ready' }>): void {
    if (message.kind === 'print') this.#print(message.line);
    else this.#waiting?.resolve(message.text);
  }
}

function lostError(cause: unknown): SvcError {
  return new SvcError('python_failed', 'The interpreter ended while it worked.', { cause });
}
