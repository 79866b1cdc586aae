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

/** The limit of one load, whatever the limit of the call that began it. */
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
    const { settings } = this.#options;
    return this.#run(limit, request, (seat) => callFunction(seat, request, { settings, host }));
  }

  /**
   * Loads files before the first call, so that it is fast and errors are logged early. Never throws. When the signal
   * aborts, no further file is loaded.
   */
  async warm(files: readonly string[], signal?: AbortSignal): Promise<void> {
    for (const file of files) {
      const limit = createLimit({ timeoutMs: LOAD_MS, signal, subject: `Loading ${file}` });
      try {
        await this.#run(limit, { file }, async () => true);
      } catch (thrown) {
        if (this.#seats.closed || signal?.aborted) return;
        this.#tellUnloaded(file, toSvcError(thrown));
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

  /**
   * Runs work in an interpreter that has loaded its file, and ends the limit. Work returns null if files have changed;
   * then another interpreter tries.
   */
  async #run<T>(limit: Limit, source: Source, work: Work<T>): Promise<T> {
    try {
      for (let tries = 0; tries < STALE_TRIES; tries += 1) {
        const result = await this.#use(limit, source, work);
        if (result !== null) return result;
      }
    } finally {
      limit.end();
    }
    throw busyError(`The modules of ${source.file} changed while it was called`);
  }

  async #use<T>(limit: Limit, { file, printed }: Source, work: Work<T>): Promise<T | null> {
    const seat = await this.#seats.take(limit);
    limit.begin();
    seat.printed.begin(file, printed);
    const loaded = seat.loaded.has(file) || (await this.#loadWithin(limit, seat, file));
    try {
      const result = loaded ? await endAtLimit(seat, limit, work(seat)) : null;
      if (result === null) void this.#stop(seat);
      return result;
    } finally {
      this.#seats.give(seat);
    }
  }

  /**
   * Loads a file; false if files have changed. If the limit is reached first, the load goes on for later calls, and the
   * seat is given back when it ends: otherwise a file that loads slower than its endpoint's limit would never be loaded.
   */
  async #loadWithin(limit: Limit, seat: PythonSeat, file: string): Promise<boolean> {
    let ended = false;
    const load = this.#load(seat, file).finally(() => {
      ended = true;
    });
    try {
      return await Promise.race([load, limit.over]);
    } catch (thrown) {
      if (ended) this.#seats.give(seat);
      else {
        const told = load.catch((failure) => this.#tellUnloaded(file, toSvcError(failure)));
        void told.then(() => this.#seats.give(seat));
      }
      throw thrown;
    }
  }

  async #load(seat: PythonSeat, file: string): Promise<boolean> {
    const { settings, background } = this.#options;
    const limit = createLimit({ timeoutMs: LOAD_MS, subject: `Loading ${file}` });
    limit.begin();
    try {
      return await endAtLimit(seat, limit, loadInSeat(seat, file, { settings, host: background }));
    } finally {
      limit.end();
    }
  }

  #tellUnloaded(file: string, { message, cause }: SvcError): void {
    if (this.#seats.closed) return;
    const fields = cause instanceof Error ? { fields: { traceback: cause.message } } : {};
    this.#options.log({ level: 'error', message: `${file} cannot be loaded: ${message}`, ...fields });
  }
}

/** The file that work needs, and the place of its printed lines. */
type Source = Pick<PythonRequest, 'file' | 'printed'>;

/** Work in an interpreter; null if files have changed, so that it needs another one. */
type Work<T> = (seat: PythonSeat) => Promise<T | null>;

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

/** Waits for work in an interpreter. Work that reaches its limit is ended together with the interpreter. */
async function endAtLimit<T>(seat: PythonSeat, limit: Limit, work: Promise<T>): Promise<T> {
  const over = limit.over.catch((reason) => {
    seat.kill(toSvcError(reason));
    throw reason;
  });
  // A rejection that comes after the work must not end the process.
  over.catch(() => {});
  return Promise.race([work, over]);
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

/** Loads a file; false if files have changed. The seat must have begun to attribute its output. */
async function loadInSeat(seat: PythonSeat, file: string, answers: PythonAnswers): Promise<boolean> {
  const loaded = await loadFile(seat, file, answers);
  if (loaded) seat.loaded.add(file);
  return loaded;
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
