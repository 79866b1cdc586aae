import type { RequestContext } from '../context.ts';
import type { Decision } from '../policy/decision.ts';
import type { Truncation } from './runtime.ts';

/** The steps of a call that a client can be told of: its arguments are checked, its work is done, its result is ready. */
const STEPS = 3;

/** How often a client hears that a statement is still running. */
const BEAT_MS = 1_000;

/** Tells that the arguments are good and that the input policies let them pass. */
export function notifyChecked({ progress, notify }: RequestContext): void {
  progress?.(1, STEPS, 'The arguments are checked.');
  notify?.('debug', 'The arguments are checked.');
}

/** Says how much of the work is done, of 1; less than was said before is not told. */
export type Advance = (share: number, text: string) => void;

/** What goes on. */
export interface Work<Result> {
  readonly noun: 'statement' | 'function';
  readonly timeoutMs: number;
  /** May say itself how far it is, and is believed from then on. */
  readonly run: (advance: Advance) => Promise<Result>;
  readonly rowsOf: (result: Result) => number;
}

const NO_ADVANCE: Advance = () => {};

/** Tells while some work goes on how much of its time is used, and then how many rows it gave. */
export async function notifyWork<Result>(
  { progress, notify }: RequestContext,
  { noun, timeoutMs, run, rowsOf }: Work<Result>,
): Promise<Result> {
  if (progress === undefined && notify === undefined) return run(NO_ADVANCE);
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  let told = 0;
  const advance: Advance = (share, text) => {
    if (share <= told) return;
    told = Math.min(share, 0.99);
    progress?.(1 + told, STEPS, text);
  };
  const beat = setInterval(() => {
    advance(elapsed() / timeoutMs, `The ${noun} has been running for ${Math.round(elapsed() / 1_000)} s.`);
  }, BEAT_MS);
  try {
    const result = await run((share, text) => {
      clearInterval(beat);
      advance(share, text);
    });
    const many = rowsOf(result);
    const rows = `${many} ${many === 1 ? 'row' : 'rows'}`;
    progress?.(2, STEPS, `The ${noun} gave ${rows}.`);
    notify?.('info', `The ${noun} took ${elapsed()} ms and gave ${rows}.`);
    return result;
  } finally {
    clearInterval(beat);
  }
}

/** Tells that a result was cut. */
export function notifyTruncated({ notify }: RequestContext, { hint }: Truncation): void {
  notify?.('warning', `The result was cut. ${hint}`);
}

/** Tells that the result is ready, and whether a policy hid some of it. */
export function notifyDone({ progress, notify }: RequestContext, { outcome }: Decision): void {
  if (outcome === 'filter' || outcome === 'mask')
    notify?.('notice', 'A policy hid some fields of the result.');
  progress?.(STEPS, STEPS, 'The result is ready.');
  notify?.('debug', 'The result is ready.');
}
