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
  /** Reports that a resource may have changed; null: any of them may have. */
  notifyResource(uri: string | null): void;
  /** Adds a listener; the returned function removes it. */
  listen(listener: (change: CatalogChange) => void): () => void;
  /** Aborts when no more changes will come. */
  readonly ended: AbortSignal;
  close(): void;
}

/** Makes a source of changes; without listeners a change is dropped. */
export function createChanges(): Changes {
  const listeners = new Set<(change: CatalogChange) => void>();
  const ending = new AbortController();
  const tell = (change: CatalogChange) => {
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
