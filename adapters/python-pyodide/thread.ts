import { Worker } from 'node:worker_threads';
import { SvcError } from '../../src/errors.ts';
import type { Log } from '../../src/ports.ts';
import type { PythonSeat } from '../python/pool/seat.ts';
import { createLines, type PrintedLines } from '../python/printed-lines.ts';
import { MAX_FRAME, tooLarge } from '../python/protocol/frames.ts';
import { Turn } from '../python/protocol/pending-request.ts';
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
  readonly #worker: Worker;
  readonly #posted = new Int32Array(new SharedArrayBuffer(4));
  readonly #turn = new Turn();
  readonly #lines: ReturnType<typeof createLines>;

  constructor({ workerUrl, log, ...setup }: ThreadOptions) {
    this.#lines = createLines(log);
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
    this.#worker.once('error', (cause) => this.#turn.end(died(cause)));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#worker.once('exit', () => {
      this.#turn.end(died());
      this.#lines.end();
      resolve();
    });
  }

  get alive(): boolean {
    return this.#turn.alive;
  }

  get printed(): PrintedLines {
    return this.#lines;
  }

  /** What is sent while it starts waits until it has. */
  exchange(text: string): Promise<string> {
    return this.#turn.exchange(() => {
      this.#worker.postMessage(text);
      Atomics.add(this.#posted, 0, 1);
      Atomics.notify(this.#posted, 0);
    });
  }

  /** Ends the thread at once, whatever runs in it; whoever waits for it gets the reason. */
  kill(reason: SvcError): void {
    this.#turn.end(reason);
    void this.#worker.terminate();
  }

  #take(message: FromThread): void {
    if (message.kind === 'print') this.#lines.write(`${message.line}\n`);
    else if (message.text.length > MAX_FRAME) this.kill(tooLarge());
    else this.#turn.answer(message.text);
  }
}

function died(cause?: unknown): SvcError {
  return new SvcError('python_failed', 'The Python interpreter ended in the middle of the call.', { cause });
}
