import type { StoredValue, TokenStore } from '../../../src/ports.ts';

interface Row extends StoredValue {
  /** Milliseconds. */
  readonly until: number;
}

/** A store in memory, for one process and for tests. */
export function createMemoryStore(now: () => number = Date.now): TokenStore {
  const rows = new Map<string, Row>();
  const find = (key: string): Row | null => {
    const row = rows.get(key);
    if (row === undefined || now() < row.until) return row ?? null;
    rows.delete(key);
    return null;
  };
  const write = (key: string, value: string, version: number, seconds: number) => {
    rows.set(key, { value, version, until: now() + seconds * 1000 });
  };
  return {
    consistency: 'strong',
    claimOnce: async (key, seconds) => {
      if (find(key) !== null) return false;
      write(key, '', 1, seconds);
      return true;
    },
    get: async (key) => {
      const row = find(key);
      return row === null ? null : { value: row.value, version: row.version };
    },
    put: async (key, value, { seconds, ifVersion }) => {
      const version = find(key)?.version ?? 0;
      if (ifVersion !== undefined && ifVersion !== version) return false;
      write(key, value, version + 1, seconds);
      return true;
    },
    delete: async (key) => void rows.delete(key),
    close: async () => rows.clear(),
  };
}
