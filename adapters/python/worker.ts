import { SvcError, toSvcError } from '../../src/errors.ts';
import type { Log } from '../../src/ports.ts';
import type { PrintedLines } from './lines.ts';
import {
  type PythonAnswers,
  type PythonLine,
  type PythonStart,
  startPython,
  stopPython,
} from './protocol.ts';

/** One interpreter, be it a process or a thread; whoever holds it sends one text at a time. */
export interface PythonWorker extends PythonLine {
  /** Files whose functions can be called. */
  readonly loaded: Set<string>;
  /** Whether calls can be made in it. */
  readonly usable: boolean;
  /** Settles when it is gone. */
  readonly ended: Promise<void>;
  readonly printed: PrintedLines;
  /** No more calls are made in it. */
  retire(): void;
  /** Ends it at once, whatever runs in it; whoever waits for it gets the reason. */
  kill(reason: SvcError): void;
}

const START_MS = 30_000;
const STOP_MS = 5_000;

/** Prepares an interpreter for a project within a bound; throws python_unavailable, with what it printed. */
export async function beginWorker<Worker extends PythonWorker>(
  worker: Worker,
  start: PythonStart,
): Promise<Worker> {
  const timer = setTimeout(
    () => worker.kill(noStart(`it did not begin within ${START_MS / 1000} s`)),
    START_MS,
  );
  try {
    await startPython(worker, start);
    return worker;
  } catch (thrown) {
    worker.kill(toSvcError(thrown));
    await worker.ended;
    throw noStart(worker.printed.last() || toSvcError(thrown).message, thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends an interpreter in peace, or within a bound; never throws. */
export async function endWorker(worker: PythonWorker, answers: PythonAnswers, log: Log): Promise<void> {
  const ending = new SvcError('cancelled', 'Python was stopped.');
  const timer = setTimeout(() => worker.kill(ending), STOP_MS);
  worker.retire();
  try {
    const errors = await stopPython(worker, answers);
    for (const { message } of errors) log({ level: 'error', message: `@on_shutdown failed: ${message}` });
  } catch {
    worker.kill(ending);
  }
  await worker.ended;
  clearTimeout(timer);
}

function noStart(why: string, cause?: unknown): SvcError {
  return new SvcError('python_unavailable', `Python could not be started: ${why}`, { cause });
}
