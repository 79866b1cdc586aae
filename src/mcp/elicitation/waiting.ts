import { busyError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';

/** The most calls of one session that wait for answers of a person. */
const MOST_OF_SESSION = 16;
/** The most calls of all sessions that wait so. */
const MOST = 1_000;
/** The most characters of their arguments together, as JSON. Values take many times as much memory. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

let [calls, characters] = [0, 0];
const waiting = new Map<object, number>();

/**
 * Waits for answers of a person, which may take minutes. The call keeps its arguments meanwhile, so the sum of such calls is
 * bounded: throws busy beyond it.
 */
export async function whileWaiting<T>(session: object, args: JsonObject, ask: () => Promise<T>): Promise<T> {
  const size = JSON.stringify(args).length;
  const ofSession = waiting.get(session) ?? 0;
  if (
    ofSession >= MOST_OF_SESSION ||
    calls >= MOST ||
    (characters > 0 && characters + size > MOST_CHARACTERS)
  ) {
    throw busyError('Too many calls wait for answers');
  }
  waiting.set(session, ofSession + 1);
  calls += 1;
  characters += size;
  try {
    return await ask();
  } finally {
    calls -= 1;
    characters -= size;
    const left = (waiting.get(session) ?? 1) - 1;
    if (left === 0) waiting.delete(session);
    else waiting.set(session, left);
  }
}
