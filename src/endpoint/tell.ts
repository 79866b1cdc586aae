import type { RequestContext } from '../context.ts';
import type { Decision } from '../policy/decision.ts';
import type { Truncation } from './runtime.ts';

/** The steps of a call that a client can be told of: its arguments are checked, its work is done, its result is ready. */
const STEPS = 3;

/** How often a client hears that a statement is still running. */
const BEAT_MS = 1_000;

/** Tells that the arguments are good and that the input policies let them pass. */
export function tellChecked({ progress, inform }: RequestContext): void {
  progress?.(1, STEPS, 'The arguments are checked.');
  inform?.('debug', 'The arguments are checked.');
}

/** Tells while some work goes on how much of its time is used, and then how many rows it gave. */
export async function tellWork<Result extends { readonly rows: readonly unknown[] }>(
  { progress, inform }: RequestContext,
  timeoutMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  if (progress === undefined && inform === undefined) return work();
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  const beat = setInterval(() => {
    const used = Math.min(elapsed() / timeoutMs, 0.99);
    progress?.(1 + used, STEPS, `The statement has been running for ${Math.round(elapsed() / 1_000)} s.`);
  }, BEAT_MS);
  try {
    const result = await work();
    const rows = `${result.rows.length} ${result.rows.length === 1 ? 'row' : 'rows'}`;
    progress?.(2, STEPS, `The statement gave ${rows}.`);
    inform?.('info', `The statement took ${elapsed()} ms and gave ${rows}.`);
    return result;
  } finally {
    clearInterval(beat);
  }
}

/** Tells that a result was cut. */
export function tellCut({ inform }: RequestContext, { hint }: Truncation): void {
  inform?.('warning', `The result was cut. ${hint}`);
}

/** Tells that the result is ready, and whether a policy hid some of it. */
export function tellDone({ progress, inform }: RequestContext, { outcome }: Decision): void {
  if (outcome === 'filter' || outcome === 'mask')
    inform?.('notice', 'A policy hid some fields of the result.');
  progress?.(STEPS, STEPS, 'The result is ready.');
  inform?.('debug', 'The result is ready.');
}
