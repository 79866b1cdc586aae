/** The lists that clients can be told to read again. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** A change while the server runs. */
export type CatalogChange =
  | { readonly kind: ListKind }
  /** One resource has changed; null: any of them may have. */
  | { readonly kind: 'resource'; readonly uri: string | null };

/** Notifies listening clients of changes. */
export interface Changes {
  /** Reports that a list has changed. */
  notify(kind: ListKind): void;
  /** Reports that a resource may have changed. Null stands for all of them; many such reports at once are one change. */
  notifyResource(uri: string | null): void;
  /** Adds a listener; the returned function removes it. */
  listen(listener: ChangeListener): () => void;
  /** The number of resources that all clients watch, or those of one owner. */
  watchedBy(owner?: string): number;
  /** Aborts when no more changes will come. */
  readonly ended: AbortSignal;
  close(): void;
}

/** One client that listens, or several. */
export interface ChangeListener {
  /** Sends the notifications about a change, one each time that the next value is taken. */
  tell(change: CatalogChange): Iterable<void>;
  /** The number of resources that its clients watch, or those of one owner. */
  watchedBy(owner?: string): number;
}

/** The most notifications that are sent before the server does other work. */
const MOST_AT_ONCE = 100;
/** The least pause after so many notifications. */
const SHORT_PAUSE_MS = 10;
/** The least pause between two announcements that any resource may have changed. */
const LEAST_PAUSE_MS = 100;
/** The pause for each millisecond of sending, which leaves time for everything else. */
const PAUSE_OF_ONE = 10;

/** Makes a source of changes; without listeners a change is dropped. */
export function createChanges(): Changes {
  const listeners = new Set<ChangeListener>();
  const ending = new AbortController();
  function* tell(change: CatalogChange): Generator<void> {
    for (const listener of [...listeners]) if (listeners.has(listener)) yield* listener.tell(change);
  }
  const tellNow = (change: CatalogChange) => {
    for (const _ of tell(change));
  };
  const all = paced(() => tell({ kind: 'resource', uri: null }));
  return {
    notify: (kind) => tellNow({ kind }),
    notifyResource: (uri) => (uri === null ? all.run() : tellNow({ kind: 'resource', uri })),
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    watchedBy: (owner) => [...listeners].reduce((sum, listener) => sum + listener.watchedBy(owner), 0),
    ended: ending.signal,
    close: () => {
      all.finish();
      ending.abort();
    },
  };
}

/** Work in steps that begins at once, pauses after some of them, and runs once more if it was asked for meanwhile. */
function paced(work: () => Iterator<void>) {
  let pause: ReturnType<typeof setTimeout> | undefined;
  let running: Iterator<void> | null = null;
  let isDue = false;
  /** Takes steps, at most so many; ends the work after the last one. */
  const step = (most: number) => {
    if (running === null && isDue) {
      isDue = false;
      running = work();
    }
    for (let taken = 0; taken < most && running !== null; taken += 1) {
      if (running.next().done) running = null;
    }
  };
  const go = () => {
    pause = undefined;
    if (running === null && !isDue) return;
    const startedAt = performance.now();
    step(MOST_AT_ONCE);
    const least = running === null ? LEAST_PAUSE_MS : SHORT_PAUSE_MS;
    pause = setTimeout(go, Math.max(least, PAUSE_OF_ONE * (performance.now() - startedAt)));
  };
  return {
    run: () => {
      isDue = true;
      if (pause === undefined) go();
    },
    /** Runs what is due, and pauses no more. */
    finish: () => {
      clearTimeout(pause);
      pause = undefined;
      while (running !== null || isDue) step(Number.POSITIVE_INFINITY);
    },
  };
}

/** The notification that a client gets about a change. */
export interface ChangeNotification {
  readonly method: string;
  readonly params?: { readonly uri: string };
}

/** Turns a change into notifications, one for each watched resource. */
export function toNotifications(
  change: CatalogChange,
  watched: Iterable<string>,
): readonly ChangeNotification[] {
  if (change.kind !== 'resource') return [{ method: `notifications/${change.kind}/list_changed` }];
  return [...watched]
    .filter((uri) => change.uri === null || change.uri === uri)
    .map((uri) => ({ method: 'notifications/resources/updated', params: { uri } }));
}
