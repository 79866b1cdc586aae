import { busyError, SvcError, toSvcError } from '../../../src/errors.ts';
import type {
  Log,
  Python,
  PythonCall,
  PythonHost,
  PythonRequest,
  PythonResult,
  PythonSettings,
} from '../../../src/ports.ts';
import type { PrintedLines } from '../printed-lines.ts';
import {
  callFunction,
  loadFile,
  type PythonAnswers,
  type PythonLine,
  type PythonStart,
  startPython,
  stopPython,
} from '../protocol/protocol.ts';
import { Seats } from './seats.ts';
import { createLimit, type Limit } from './time-limit.ts';

/** Options of a pool of Python interpreters. */
export interface PythonPoolOptions extends PythonStart {
  readonly kind: Python['kind'];
  /** Starts an interpreter. */
  readonly spawn: () => Promise<PythonSeat>;
  readonly settings: PythonSettings;
  /** Answers requests of code outside of calls, such as `@on_init`. */
  readonly background: PythonHost;
  readonly log: Log;
  /** The maximum number of interpreters. */
  readonly size: number;
  /** The maximum number of calls that wait for an interpreter. */
  readonly queue: number;
}

const LOAD_MS = 60_000;
/** Calls are answered before the pool closes, so only a file that loads may still run. */
const CLOSE_MS = 1_000;
/** A call fails after this many attempts if the files change each time before it begins. */
const STALE_TRIES = 3;

/** Runs Python in several interpreters. Each interpreter runs one call at a time. */
export class PythonPool implements Python {
  readonly kind: Python['kind'];
  readonly #options: PythonPoolOptions;
  readonly #retired = new WeakSet<PythonSeat>();
  readonly #seats: Seats<PythonSeat>;

  constructor(options: PythonPoolOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.#seats = this.#createSeats();
  }

  async call(request: PythonRequest, host: PythonHost, call: PythonCall): Promise<PythonResult> {
    const limit = createLimit({ ...call, subject: `The function ${request.name}` });
    try {
      for (let tries = 0; tries < STALE_TRIES; tries += 1) {
        const result = await this.#use(limit, (seat) => this.#callIn(seat, request, host));
        if (result !== null) return result;
      }
    } finally {
      limit.end();
    }
    throw busyError(`The files of ${request.name} changed while it was called`);
  }

  /** Loads files before the first call, so that it is fast and errors are logged early. Never throws. */
  async warm(files: readonly string[]): Promise<void> {
    for (const file of files) {
      const limit = createLimit({ timeoutMs: LOAD_MS, subject: `Loading ${file}` });
      try {
        await this.#use(limit, (seat) => {
          seat.printed.begin(file);
          return this.#load(seat, file);
        });
      } catch (thrown) {
        if (this.#seats.closed) return;
        this.#tellUnloaded(file, toSvcError(thrown));
      } finally {
        limit.end();
      }
    }
  }

  async start(): Promise<void> {
    this.#seats.add(await this.#start());
  }

  async close(): Promise<void> {
    const timer = setTimeout(() => {
      for (const seat of this.#seats.busy) seat.kill(new SvcError('cancelled', 'The server was stopped.'));
    }, CLOSE_MS);
    await this.#seats.close();
    clearTimeout(timer);
  }

  #createSeats(): Seats<PythonSeat> {
    const { size, queue } = this.#options;
    return new Seats({
      size,
      queue,
      open: () => this.#start(),
      close: (seat) => this.#stop(seat),
      isUsable: (seat) => seat.alive && !this.#retired.has(seat),
    });
  }

  async #start(): Promise<PythonSeat> {
    const { spawn, root, folder, follow } = this.#options;
    const seat = await spawn();
    await startSeat(seat, { root, folder, follow });
    return seat;
  }

  #stop(seat: PythonSeat): Promise<void> {
    const { settings, background, log } = this.#options;
    this.#retired.add(seat);
    return stopSeat(seat, { settings, host: background }, log);
  }

  /** Runs work in an interpreter. Work that exceeds its limit is ended together with its interpreter. */
  async #use<T>(limit: Limit, work: (seat: PythonSeat) => Promise<T>): Promise<T> {
    const seat = await this.#seats.take(limit);
    limit.begin();
    const over = limit.over.catch((reason) => {
      seat.kill(toSvcError(reason));
      throw reason;
    });
    try {
      return await Promise.race([work(seat), over]);
    } finally {
      over.catch(() => {});
      this.#seats.give(seat);
    }
  }

  /** Calls a function; null if files have changed, so that the call needs another interpreter. */
  async #callIn(seat: PythonSeat, request: PythonRequest, host: PythonHost): Promise<PythonResult | null> {
    seat.printed.begin(request.file, request.printed);
    await this.#load(seat, request.file);
    const result = await callFunction(seat, request, { settings: this.#options.settings, host });
    if (result === null) void this.#stop(seat);
    return result;
  }

  #load(seat: PythonSeat, file: string): Promise<void> {
    const { settings, background } = this.#options;
    return loadInSeat(seat, file, { settings, host: background });
  }

  #tellUnloaded(file: string, { message, cause }: SvcError): void {
    const fields = cause instanceof Error ? { fields: { traceback: cause.message } } : {};
    this.#options.log({ level: 'error', message: `${file} cannot be loaded: ${message}`, ...fields });
  }
}

/** An interpreter of a pool, which runs one call at a time: a process or a thread. */
export interface PythonSeat extends PythonLine {
  /** The files that are loaded, so that their functions can be called. */
  readonly loaded: Set<string>;
  readonly printed: PrintedLines;
  /** Resolves when the interpreter has ended. */
  readonly ended: Promise<void>;
  readonly alive: boolean;
  /** Ends the interpreter and all that it has started at once. A pending request is rejected with the reason. */
  kill(reason: SvcError): void;
}

const START_MS = 30_000;
const STOP_MS = 5_000;

/** Prepares a new interpreter for calls. If that fails it is ended, and `python_unavailable` is thrown. */
async function startSeat(seat: PythonSeat, start: PythonStart): Promise<void> {
  const late = noStart(`it did not begin within ${START_MS / 1000} s`);
  const timer = setTimeout(() => seat.kill(late), START_MS);
  try {
    await startPython(seat, start);
  } catch (thrown) {
    seat.kill(toSvcError(thrown));
    await seat.ended;
    throw noStart(seat.printed.last() || toSvcError(thrown).message, thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** Loads a file unless it is loaded already. The seat must have begun to attribute its output. */
async function loadInSeat(seat: PythonSeat, file: string, answers: PythonAnswers): Promise<void> {
  if (seat.loaded.has(file)) return;
  await loadFile(seat, file, answers);
  seat.loaded.add(file);
}

/** Runs the `@on_shutdown` functions and ends an interpreter, by force after `STOP_MS`. Never throws. */
async function stopSeat(seat: PythonSeat, answers: PythonAnswers, log: Log): Promise<void> {
  const ending = new SvcError('cancelled', 'Python was stopped.');
  const timer = setTimeout(() => seat.kill(ending), STOP_MS);
  try {
    const errors = await stopPython(seat, answers);
    for (const { message } of errors) log({ level: 'error', message: `@on_shutdown failed: ${message}` });
  } catch {
    seat.kill(ending);
  }
  await seat.ended;
  clearTimeout(timer);
}

function noStart(why: string, cause?: unknown): SvcError {
  return new SvcError('python_unavailable', `Python could not be started: ${why}`, { cause });
}
