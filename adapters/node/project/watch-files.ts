import type { NotedFiles } from './noted-files.ts';

/** The files to watch and the action on a change. */
export interface WatchOptions {
  /** The files as they were read last. */
  readonly first: NotedFiles;
  /** Reads the files again; null if that failed. It is called again only after the next change. */
  readonly read: () => Promise<NotedFiles | null>;
  readonly signal: AbortSignal;
  /** Milliseconds between two checks. A change counts when the next check finds nothing new. */
  readonly everyMs?: number;
}

const EVERY_MS = 250;

/** Reads files again whenever a change is complete, until the signal aborts. */
export async function watchFiles(options: WatchOptions): Promise<void> {
  const { first, read, signal, everyMs = EVERY_MS } = options;
  let noted = first;
  let seen: string | null = null;
  let failed: string | null = null;
  while (await passed(everyMs, signal)) {
    const now = await noted.change();
    if (now !== null && now === seen && now !== failed) {
      const next = await read();
      failed = next === null ? now : null;
      noted = next ?? noted;
    }
    seen = now;
  }
}

/** Waits; resolves to false if the signal aborted first. */
function passed(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (whole: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(whole);
    };
    const onAbort = () => end(false);
    const timer = setTimeout(() => end(true), ms);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) end(false);
  });
}
