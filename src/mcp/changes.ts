/** The lists that clients can be told to read again. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** What may have changed while a server runs. */
export type Change =
  | { readonly kind: ListKind }
  /** Of one resource, or of any of them. */
  | { readonly kind: 'resource'; readonly uri: string | null };

/** Tells clients that listen of what has changed. */
export interface Changes {
  /** A list is another one now. */
  notify(kind: ListKind): void;
  /** A resource may read otherwise now; null: any of them may. */
  notifyResource(uri: string | null): void;
  /** Until the function that comes back is called. */
  listen(listener: (change: Change) => void): () => void;
  /** Aborts when there will be no more. */
  readonly ended: AbortSignal;
  close(): void;
}

/** Changes that are told to nobody until somebody listens. */
export function createChanges(): Changes {
  const listeners = new Set<(change: Change) => void>();
  const ending = new AbortController();
  const tell = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  return {
    notify: (kind) => tell({ kind }),
    notifyResource: (uri) => tell({ kind: 'resource', uri }),
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    ended: ending.signal,
    close: () => ending.abort(),
  };
}

/** What a client is told of a change. */
export interface ChangeNotification {
  readonly method: string;
  readonly params?: { readonly uri: string };
}

/** A change as the protocol has it, once for each of the resources that a client watches. */
export function toNotifications(change: Change, watched: Iterable<string>): readonly ChangeNotification[] {
  if (change.kind !== 'resource') return [{ method: `notifications/${change.kind}/list_changed` }];
  return [...watched]
    .filter((uri) => change.uri === null || change.uri === uri)
    .map((uri) => ({ method: 'notifications/resources/updated', params: { uri } }));
}
