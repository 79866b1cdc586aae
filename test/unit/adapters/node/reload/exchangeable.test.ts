import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import { ExchangeableDatabase, exchangeDatabase } from '../../../../../adapters/node/reload/exchangeable.ts';
import { SvcError } from '../../../../../src/errors.ts';
import type { Database, SqlCall } from '../../../../../src/ports.ts';

const SLOW =
  'SELECT count(*)::INTEGER AS n FROM range(20000) a, range(1000) b WHERE hash(a.range + b.range) % 7 = 8';
const ENDLESS = SLOW.replaceAll('000)', '000000)');

let folder: string;
let path: string;
let database: ExchangeableDatabase;

const open = () => openNative({ path, readonly: false });
const callBy = (signal = new AbortController().signal): SqlCall => ({
  caller: null,
  signal,
  timeoutMs: 60_000,
});
const select = (sql: string, signal?: AbortSignal) =>
  database.run({ sql, values: [], mode: 'read', maxRows: 10 }, callBy(signal)).then(({ rows }) => rows);
const write = (sql: string) => database.run({ sql, values: [], mode: 'write', maxRows: 10 }, callBy());
const exchange = (openNext: () => Promise<Database>, drainMs = 60_000) =>
  exchangeDatabase(database, { openNext, openPrevious: open, drainMs });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-exchange-'));
  path = join(folder, 'data.duckdb');
  database = new ExchangeableDatabase(await open());
  await write('CREATE TABLE t AS SELECT 1 AS x');
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

describe('a database that is exchanged', () => {
  it('lets running statements finish and makes new ones wait', async () => {
    const order: string[] = [];
    const slow = select(SLOW).then(() => order.push('slow'));
    const exchanged = exchange(async () => {
      order.push('exchange');
      return open();
    });
    expect([database.active, database.draining]).toEqual([1, true]);
    const later = select('SELECT x FROM t').then((rows) => order.push(JSON.stringify(rows)));
    await Promise.all([slow, exchanged, later]);
    expect(order).toEqual(['slow', 'exchange', '[{"x":1}]']);
    expect([database.active, database.draining]).toEqual([0, false]);
  });

  it('goes on as it was when the next one cannot be opened', async () => {
    await expect(
      exchange(async () => {
        throw new SvcError('database_unavailable', 'no such place');
      }),
    ).rejects.toThrow('no such place');
    await write('INSERT INTO t VALUES (2)');
    expect(await select('SELECT sum(x)::INTEGER AS s FROM t')).toEqual([{ s: 3 }]);
  });

  it('says why not even the old one can be opened again, and opens it when that is put right', async () => {
    const gone = async () => {
      throw new SvcError('database_unavailable', 'the disk is gone');
    };
    const options = { openNext: gone, openPrevious: gone, drainMs: 60_000 };
    await expect(exchangeDatabase(database, options)).rejects.toThrow(
      'cannot be opened again: the disk is gone',
    );
    await expect(select('SELECT x FROM t')).rejects.toMatchObject({ code: 'database_unavailable' });
    await exchange(open);
    expect(await select('SELECT x FROM t')).toEqual([{ x: 1 }]);
  });

  it('gives up when running statements do not end, and serves on', async () => {
    const stop = new AbortController();
    const endless = select(ENDLESS, stop.signal).catch(({ code }) => code);
    await expect(exchange(open, 20)).rejects.toMatchObject({ code: 'busy' });
    expect(await select('SELECT x FROM t')).toEqual([{ x: 1 }]);
    stop.abort();
    expect(await endless).toBe('cancelled');
  });

  it('lets a waiting call be cancelled', async () => {
    const gate = Promise.withResolvers<void>();
    const exchanged = exchange(async () => {
      await gate.promise;
      return open();
    });
    const stop = new AbortController();
    const waiting = select('SELECT x FROM t', stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    gate.resolve();
    await exchanged;
    expect(await select('SELECT x FROM t')).toEqual([{ x: 1 }]);
  });

  it('opens one that only reads beside the old one', async () => {
    await database.close();
    const reading = () => openNative({ path, readonly: true });
    const first = await reading();
    database = new ExchangeableDatabase(first);
    let seen: unknown;
    await exchange(async () => {
      seen = await first.run({ sql: 'SELECT x FROM t', values: [], mode: 'read', maxRows: 1 }, callBy());
      return reading();
    });
    expect(seen).toMatchObject({ rows: [{ x: 1 }] });
    expect(await select('SELECT x FROM t')).toEqual([{ x: 1 }]);
  });

  it('that was closed meanwhile leaves nothing open', async () => {
    const gate = Promise.withResolvers<void>();
    let next: Database | null = null;
    const exchanged = exchange(async () => {
      await gate.promise;
      next = await open();
      return next;
    });
    await database.close();
    gate.resolve();
    await exchanged;
    await expect(select('SELECT x FROM t')).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(next).not.toBeNull();
  });

  it('is not exchanged for one that came too late', async () => {
    const late = new AbortController();
    const openNext = async () => {
      late.abort(new SvcError('deadline_exceeded', 'too late'));
      return open();
    };
    const options = { openNext, openPrevious: open, drainMs: 60_000, signal: late.signal };
    await expect(exchangeDatabase(database, options)).rejects.toThrow('too late');
    await write('INSERT INTO t VALUES (2)');
    expect(await select('SELECT sum(x)::INTEGER AS s FROM t')).toEqual([{ s: 3 }]);
  });
});

describe('a database with a statement that nothing ends', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([true, false])('keeps no other from being opened, read-only %s', async (readonly) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stuck = Object.create(database, {
      readonly: { value: readonly },
      close: { value: () => new Promise(() => {}) },
    });
    const held = new ExchangeableDatabase(stuck);
    const options = { openNext: async () => database, openPrevious: async () => stuck, drainMs: 60_000 };
    const exchanged = exchangeDatabase(held, options);
    await vi.advanceTimersByTimeAsync(5_000);
    await exchanged;
    expect(await held.hold(0)).toBe(database);
  });
});
