import type { ResourceEntry, ToolEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import type { Decision } from '../policy/decision.ts';
import type { Truncation } from './runtime.ts';

/** The steps of a call that a client hears of: arguments checked, work done, result ready. */
const STEPS = 3;

/** The interval at which a client hears that a statement is still running. */
const BEAT_MS = 1_000;

/** Tells the client that its arguments are valid and allowed. */
export function notifyChecked({ progress, notify }: RequestContext): void {
  progress?.(1, STEPS, 'The arguments are checked.');
  notify?.('debug', 'The arguments are checked.');
}

/** Reports the share of the work that is done, from 0 to 1; a share below an earlier one is ignored. */
export type Advance = (share: number, text: string) => void;

/** Reports the progress of running work to the client. */
export interface WatchedWork {
  /** Takes over from the clock: from the first report on, only reports count. */
  readonly advance: Advance;
  /** Notes that the work returned a number of rows. The client hears of it when the returned function is called. */
  readonly finish: (rows: number) => () => void;
  /** Ends the reports; must be called when the work ends, whether or not it succeeded. */
  readonly stop: () => void;
}

/** Tells a client that asked for it, each second, how much of the time limit a statement or a function has used. */
export function watchWork(
  { progress, notify }: RequestContext,
  { source, limits: { timeoutMs } }: ToolEntry | ResourceEntry,
): WatchedWork {
  const noun = source.language === 'sql' ? 'statement' : 'function';
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  let reported = 0;
  const report: Advance = (share, text) => {
    if (share <= reported) return;
    reported = Math.min(share, 0.99);
    progress?.(1 + reported, STEPS, text);
  };
  const beat = setInterval(() => {
    report(elapsed() / timeoutMs, `The ${noun} has been running for ${Math.round(elapsed() / 1_000)} s.`);
  }, BEAT_MS);
  return {
    advance(share, text) {
      clearInterval(beat);
      report(share, text);
    },
    finish(count) {
      const rows = `${count} ${count === 1 ? 'row' : 'rows'}`;
      const took = elapsed();
      return () => {
        progress?.(2, STEPS, `The ${noun} gave ${rows}.`);
        notify?.('info', `The ${noun} took ${took} ms and gave ${rows}.`);
      };
    },
    stop: () => clearInterval(beat),
  };
}

/** Tells the client that its result was cut. */
export function notifyTruncated({ notify }: RequestContext, { hint }: Truncation): void {
  notify?.('warning', `The result was cut. ${hint}`);
}

/** Tells the client that its result is ready, and whether a policy hid fields of it. */
export function notifyDone({ progress, notify }: RequestContext, { outcome }: Decision): void {
  if (outcome === 'filter' || outcome === 'mask')
    notify?.('notice', 'A policy hid some fields of the result.');
  progress?.(STEPS, STEPS, 'The result is ready.');
  notify?.('debug', 'The result is ready.');
}
