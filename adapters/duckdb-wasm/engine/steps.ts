import type { CFunctionName } from './c-api.ts';
import { toCString } from './heap.ts';
import type { EngineFunction, Instance } from './instance.ts';

/**
 * The functions that may read the database file, and may therefore have to wait for it. A test runs statements of every
 * kind on an engine that keeps nothing, and fails if another function reads.
 */
export const READING = [
  'duckdb_open_ext',
  'duckdb_connect',
  'duckdb_prepare',
  'duckdb_pending_prepared',
  'duckdb_pending_execute_task',
  'duckdb_execute_pending',
] as const satisfies readonly CFunctionName[];

/** The name of one of these functions. */
export type ReadingName = (typeof READING)[number];

/** A call of such a function: its name and its arguments. */
export type ReadingCall = readonly [name: ReadingName, ...args: number[]];

/**
 * One step into the engine. It yields each call that may read the file and continues with its result, so that the same
 * code works with files at hand and with files that are fetched.
 */
export type EngineStep<T> = Generator<ReadingCall, T, number>;

/** The reading functions, as an engine has them whose file is at hand. */
export type ReadingFunctions = { readonly [name in ReadingName]: EngineFunction };

/** Runs a step to its end without waiting. */
export function runNow<T>(functions: ReadingFunctions, step: EngineStep<T>): T {
  let turn = step.next();
  while (!turn.done) turn = answerNow(functions, step, turn.value);
  return turn.value;
}

function answerNow<T>(
  functions: ReadingFunctions,
  step: EngineStep<T>,
  [name, ...args]: ReadingCall,
): IteratorResult<ReadingCall, T> {
  let result: number;
  try {
    result = functions[name](...args);
  } catch (thrown) {
    // The step releases what it holds.
    return step.throw(thrown);
  }
  return step.next(result);
}

/** Runs a step to its end; each of its calls may wait. */
export async function runWaiting<T>(
  answer: (call: ReadingCall) => Promise<number>,
  step: EngineStep<T>,
): Promise<T> {
  let turn = step.next();
  while (!turn.done) {
    let result: number;
    try {
      result = await answer(turn.value);
    } catch (thrown) {
      turn = step.throw(thrown);
      continue;
    }
    turn = step.next(result);
  }
  return turn.value;
}

/** Calls with a text in the engine's memory, which is freed afterwards. */
export function* whileText(
  { call, allocate, heap }: Instance,
  text: string,
  toCall: (at: number) => ReadingCall,
): EngineStep<number> {
  const bytes = toCString(text);
  const at = allocate(bytes.length);
  try {
    heap.bytes.set(bytes, at);
    return yield toCall(at);
  } finally {
    call.free(at);
  }
}
