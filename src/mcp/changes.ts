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
  listen(listener: (change: CatalogChange) => void): () => void;
  /** Aborts when no more changes will come. */
  readonly ended: AbortSignal;
  close(): void;
}

/** The least pause between two announcements that any resource may have changed. */
const LEAST_PAUSE_MS = 100;
/** The pause for each millisecond that an announcement took, which leaves time for everything else. */
const PAUSE_OF_ONE = 10;

/** Makes a source of changes; without listeners a change is dropped. */
export function createChanges(): Changes {
  const listeners = new Set<(change: CatalogChange) => void>();
  const ending = new AbortController();
  const tell = (change: CatalogChange) => {
    for (const listener of listeners) listener(change);
  };
  const all = coalesced(() => tell({ kind: 'resource', uri: null }));
  return {
    notify: (kind) => tell({ kind }),
    notifyResource: (uri) => (uri === null ? all.run() : tell({ kind: 'resource', uri })),
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    ended: ending.signal,
    close: () => {
      all.finish();
      ending.abort();
    },
  };
}

/** Work that runs at once, and once more after a pause if it was asked for meanwhile. */
function coalesced(work: () => void) {
  let pause: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  const begin = () => {
    isDue = false;
    const startedAt = performance.now();
    work();
    const ms = Math.max(LEAST_PAUSE_MS, PAUSE_OF_ONE * (performance.now() - startedAt));
    pause = setTimeout(() => {
      pause = undefined;
      if (isDue) begin();
    }, ms);
  };
  return {
    run: () => {
      if (pause === undefined) begin();
      else isDue = true;
    },
    /** Runs what is due, and pauses no more. */
    finish: () => {
      clearTimeout(pause);
      pause = undefined;
      if (isDue) work();
      isDue = false;
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
