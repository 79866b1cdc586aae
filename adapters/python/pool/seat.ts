import { SvcError, toSvcError } from '../../../src/errors.ts';
import type { Log } from '../../../src/ports.ts';
import type { PrintedLines } from '../printed-lines.ts';
import {
  loadFile,
  type PythonAnswers,
  type PythonLine,
  type PythonStart,
  startPython,
  stopPython,
} from '../protocol/protocol.ts';

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
export async function startSeat(seat: PythonSeat, start: PythonStart): Promise<void> {
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
export async function loadInSeat(seat: PythonSeat, file: string, answers: PythonAnswers): Promise<void> {
  if (seat.loaded.has(file)) return;
  await loadFile(seat, file, answers);
  seat.loaded.add(file);
}

/** Runs the `@on_shutdown` functions and ends an interpreter, by force after `STOP_MS`. Never throws. */
export async function stopSeat(seat: PythonSeat, answers: PythonAnswers, log: Log): Promise<void> {
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
