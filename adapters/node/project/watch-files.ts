import type { NotedFiles } from './noted-files.ts';

/** What is done when files have changed. */
export interface Following {
  /** How they were read last. */
  readonly first: NotedFiles;
  /** Reads them again; null when that was not possible, and is only worth another try after the next change. */
  readonly read: () => Promise<NotedFiles | null>;
  readonly signal: AbortSignal;
  /** Milliseconds between two looks; a change counts when the second look finds it unchanged. */
  readonly everyMs?: number;
}

const EVERY_MS = 250;

/** Reads files again whenever they have changed and come to rest, one time after the other. */
export async function followFiles(following: Following): Promise<void> {
  const { first, read, signal, everyMs = EVERY_MS } = following;
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

/** False when it was ended before. */
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
