/**
 * Puts an entry last in a map, and drops the first entries beyond so many. Where each use does so too, the entries go that
 * were not used for the longest time.
 *
 *     const kept = new Map([['a', 1], ['b', 2]]);
 *     keepLatest(kept, { key: 'a', value: 3, most: 2 }); // b, a
 *     keepLatest(kept, { key: 'c', value: 4, most: 2 }); // a, c
 */
export function keepLatest<Key, Value>(
  kept: Map<Key, Value>,
  { key, value, most }: { readonly key: Key; readonly value: Value; readonly most: number },
): void {
  kept.delete(key);
  kept.set(key, value);
  for (const first of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(first);
  }
}
