import { cancelledError, deadlineError, SvcError } from '../../../src/errors.ts';
import type { ScanLimits, SqlCall } from '../../../src/ports.ts';
import type { Fetched } from './database-file.ts';
import type { WaitLimits } from './waiting.ts';

/** The longest time that a timer takes, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** Watches for the end of a call. */
interface CallEnd {
  /** Rejects with the reason: the call's deadline, or its cancellation. */
  readonly ended: Promise<never>;
  /** Ends the watch. */
  stop(): void;
}

/** Watches a call that has some milliseconds left. */
function watchEnd({ signal, timeoutMs }: SqlCall, leftMs = timeoutMs): CallEnd {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => {});
  const cancel = (): void => reject(cancelledError());
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const late = (): void => reject(deadlineError('The query', timeoutMs));
  const timer = leftMs > LONGEST_MS ? undefined : setTimeout(late, Math.max(leftMs, 0));
  return {
    ended,
    stop() {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    },
  };
}

/** Waits for something. Throws the reason if the call ends before, whose deadline is in milliseconds since 1970. */
export async function unlessEnded(
  { call, deadline }: { readonly call: SqlCall; readonly deadline: number },
  work: Promise<void>,
): Promise<void> {
  const { ended, stop } = watchEnd(call, deadline - Date.now());
  await Promise.race([work, ended]).finally(stop);
}

/** The parts and limits of a call on an engine whose file is fetched. */
export interface WaitingCallOptions {
  /** The counters of the file, which several calls share. */
  readonly fetched: Readonly<Fetched>;
  /** The most requests for ranges of one call. Default: no limit. */
  readonly maxRanges: number | undefined;
  readonly scan: ScanLimits | undefined;
  readonly onProgress: () => void;
}

/** A call on an engine whose file is fetched. It watches the call's deadline and counts its requests. */
export class WaitingCall implements WaitLimits {
  readonly #options: WaitingCallOptions;
  readonly #end: CallEnd;
  readonly #spent: Fetched = { ranges: 0, bytes: 0 };
  #before: Fetched = { ranges: 0, bytes: 0 };
  /** The bytes of earlier attempts, which the limit of the statement does not count. */
  #spentBefore = 0;

  constructor(call: SqlCall, options: WaitingCallOptions) {
    this.#options = options;
    this.#end = watchEnd(call);
  }

  get ended(): Promise<never> {
    return this.#end.ended;
  }

  /** The requests and bytes of the call's turns so far. */
  get spent(): Fetched {
    return { ...this.#spent };
  }

  /** Begins an attempt to run the statement. It may read as many bytes as the one before. */
  beginAttempt(): void {
    this.#spentBefore = this.#spent.bytes;
  }

  /** Begins a turn: requests count for the call whose turn it is. */
  begin(): void {
    this.#before = { ...this.#options.fetched };
  }

  check(): void {
    this.#options.onProgress();
    this.count();
    const { maxRanges = Number.POSITIVE_INFINITY, scan } = this.#options;
    const maxBytes = scan?.bytes ?? Number.POSITIVE_INFINITY;
    const { ranges, bytes } = this.#spent;
    if (ranges > maxRanges) throw this.#tooMuch(`${maxRanges} ranges`, 'this platform allows a call');
    if (bytes - this.#spentBefore > maxBytes)
      throw this.#tooMuch(`${maxBytes} bytes`, '`limits.scan_bytes` allows');
  }

  /** Counts the requests since the turn began or was last counted. */
  count(): void {
    const { ranges, bytes } = this.#options.fetched;
    this.#spent.ranges += ranges - this.#before.ranges;
    this.#spent.bytes += bytes - this.#before.bytes;
    this.begin();
  }

  /** Adds the call's requests and bytes to its error. */
  withSpent(thrown: unknown): unknown {
    if (!(thrown instanceof SvcError)) return thrown;
    const { code, message, cause, detail } = thrown;
    return new SvcError(code, message, { cause, detail: { ...detail, fetched: { ...this.#spent } } });
  }

  close(): void {
    this.#end.stop();
  }

  #tooMuch(limit: string, source: string): SvcError {
    return new SvcError(
      'scan_too_large',
      `The statement reads more of the database than the ${limit} that ${source}. Filter more, on the columns by which the table is sorted or indexed, or read fewer columns.`,
    );
  }
}
