import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { GRACE_MS, PURGE_MS } from '../../../adapters/artefact/sql-token-store.ts';
import { ownKeys } from '../../../adapters/node/auth/keys.ts';
import { openTokenStore } from '../../../adapters/node/auth/token-store.ts';
import { SvcError } from '../../../src/errors.ts';
import { createDesk, tokens } from './fixture.ts';
import { createMemoryStore } from './memory-store.ts';
import { itIsATokenStore } from './store-contract.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-store-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const path = () => {
  count += 1;
  return join(root, String(count), 'oauth.db');
};

describe('the store in memory', () => itIsATokenStore(createMemoryStore));

// Requirements: auth.persistence.type
describe('the store in SQLite', () => {
  itIsATokenStore((now) => openTokenStore(path(), now));

  // Requirements: auth.persistence.mode
  it('D26: is readable by its owner alone, and mends a file that is not', async () => {
    const file = path();
    await openTokenStore(file).close();
    chmodSync(file, 0o644);
    const store = openTokenStore(file);
    await store.put('a', 'b', { seconds: 60 });
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      expect([name, statSync(name).mode & 0o777]).toEqual([name, 0o600]);
    }
    await store.close();
  });

  /** A store whose file another connection holds for a write. */
  function openHeld() {
    const file = path();
    const store = openTokenStore(file);
    onTestFinished(() => store.close());
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    return { store, other };
  }

  // Requirements: auth.persistence.path
  it('is there after a restart, and is shared by two processes at once', async () => {
    const file = path();
    const [one, other] = [openTokenStore(file), openTokenStore(file)];
    await one.put('a', 'kept', { seconds: 60 });
    expect((await other.get('a'))?.value).toBe('kept');
    expect([await one.claimOnce('c', 60), await other.claimOnce('c', 60)]).toEqual([true, false]);
    await Promise.all([one.close(), other.close()]);
    const again = openTokenStore(file);
    expect((await again.get('a'))?.value).toBe('kept');
    await again.close();
  });

  it('waits for another process that writes, and lets this one go on meanwhile', async () => {
    const { store, other } = openHeld();
    const written = store.put('a', 'kept', { seconds: 60 });
    // The timer of this process frees the file, so the write must not hold up the process.
    setTimeout(() => other.exec('COMMIT'), 200);
    expect(await written).toBe(true);
    expect((await store.get('a'))?.value).toBe('kept');
  });

  it('leaves the process nearly all of its time while many requests wait for another one', async () => {
    const { store, other } = openHeld();
    const before = performance.eventLoopUtilization();
    const written = Array.from({ length: 50 }, (_, at) => store.put(`key ${at}`, 'kept', { seconds: 60 }));
    setTimeout(() => other.exec('COMMIT'), 200);
    expect(new Set(await Promise.all(written))).toEqual(new Set([true]));
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  });

  it('does not wait for another process for more than some seconds', async () => {
    const { store, other } = openHeld();
    vi.useFakeTimers({ toFake: ['setTimeout', 'Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const failed = expect(store.claimOnce('a', 60)).rejects.toMatchObject({ code: 'login_unavailable' });
    await vi.advanceTimersByTimeAsync(5_000);
    await failed;
    other.exec('ROLLBACK');
  });

  it('is refused in a folder that cannot be made, as below /proc', () => {
    expect(() => openTokenStore('/proc/none/below/tokens.db')).toThrow(/cannot be used to store sessions/);
    const persistence = {
      type: 'sqlite',
      path: '/proc/none/below/tokens.db',
      auth_encryption_key: null,
    } as const;
    expect(() => ownKeys({ keys: [], persistence }, () => {})).toThrow(/cannot be read or created/);
  });

  it('D26: removes what is over when it is opened', async () => {
    const file = path();
    const store = openTokenStore(file, () => 0);
    await store.put('a', 'b', { seconds: 60 });
    await store.close();
    await openTokenStore(file, () => 60_000 + GRACE_MS).close();
    const database = new DatabaseSync(file);
    expect(database.prepare('SELECT count(*) AS n FROM tokens').get()).toEqual({ n: 0 });
    database.close();
  });

  it('keeps what is over for minutes, because another instance may have a clock that is behind', async () => {
    const file = path();
    const [behind, ahead] = [openTokenStore(file, () => 0), () => openTokenStore(file, () => 300_000)];
    await behind.claimOnce('a', 60);
    await ahead().close();
    expect(await behind.claimOnce('a', 60)).toBe(false);
    await behind.close();
  });

  it('lets the process go on where what is over cannot be removed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const file = path();
    const store = openTokenStore(file);
    const other = new DatabaseSync(file);
    other.exec('ALTER TABLE tokens RENAME TO gone');
    expect(() => vi.advanceTimersByTime(PURGE_MS)).not.toThrow();
    other.exec('ALTER TABLE gone RENAME TO tokens');
    other.close();
    await store.put('a', 'b', { seconds: 60 });
    expect((await store.get('a'))?.value).toBe('b');
    await store.close();
  });

  it('says which setting it is where the file fails while it is used, as a matter of another try', async () => {
    const file = path();
    const store = openTokenStore(file);
    onTestFinished(() => store.close());
    const other = new DatabaseSync(file);
    other.exec('DROP TABLE tokens');
    other.close();
    const asks = [
      () => store.get('a'),
      () => store.claimOnce('a', 60),
      () => store.put('a', 'b', { seconds: 60 }),
    ];
    for (const ask of asks) {
      await expect(ask()).rejects.toMatchObject({
        code: 'login_unavailable',
        message: expect.stringContaining('`auth.persistence.path`'),
      });
    }
  });

  it('D26: holds sealed values only: no token and no address can be read in the file', async () => {
    const file = path();
    const store = openTokenStore(file);
    const desk = createDesk({ parts: { store } });
    desk.idp.expiresIn = 3_600;
    const { refresh_token } = await tokens(desk);
    expect(refresh_token).toMatch(/^ey/);
    await store.close();
    const bytes = readFileSync(file, 'latin1');
    expect(bytes).toContain('session:');
    for (const secret of ['ghu_', 'ghr_', 'ada@example.com', 'Lovelace', refresh_token]) {
      expect(bytes).not.toContain(secret);
    }
  });

  it('says which setting is wrong when the file cannot be used', () => {
    const file = join(root, 'a-file');
    writeFileSync(file, 'not a database, and longer than a header of one would be: '.repeat(20));
    for (const wrong of [file, join(file, 'below')]) {
      expect(() => openTokenStore(wrong)).toThrow(SvcError);
      expect(() => openTokenStore(wrong)).toThrow('`auth.persistence.path`');
    }
  });
});
