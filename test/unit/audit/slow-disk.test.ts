import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listAuditFiles } from '../../../adapters/audit/audit-files.ts';
import { FileSink, type FileSinkOptions } from '../../../adapters/audit/file-sink.ts';
import type { LogLine } from '../../../src/ports.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { Svc } from '../cli/svc.ts';
import { delayDisk } from './slow-disk.ts';

/* One process after the other changes how the file handles of this process work. */

const SLOW_DISK = resolve('test/unit/audit/slow-disk.ts');
const WRITER = resolve('test/unit/audit/writer.ts');

vi.setConfig({ testTimeout: 120_000 });

async function open(path: string, options: Partial<FileSinkOptions> = {}) {
  const lines: LogLine[] = [];
  const limits = { maxBytes: 1e9, maxAgeMs: Number.POSITIVE_INFINITY };
  const log = (line: LogLine) => void lines.push(line);
  const sink = new FileSink({ path, limits, onError: 'block', log, ...options });
  onTestFinished(() => sink.close());
  await sink.open();
  return { sink, lines };
}

/** The ids in all files of a log, without a line that is being written. Another line that is no JSON fails. */
async function idsOf(path: string): Promise<readonly unknown[]> {
  const files = await listAuditFiles(path);
  return files
    .flatMap((file) =>
      existsSync(file.path) ? readFileSync(file.path, 'utf8').split('\n').slice(0, -1) : [],
    )
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line).id);
}

/** Holds each write or sync until it is released. */
async function hold(step: 'write' | 'datasync') {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const undo = await delayDisk(step, () => {
    begun += 1;
    return promise;
  });
  onTestFinished(() => {
    undo();
    resolve();
  });
  return { release: resolve, begun: () => begun };
}

async function slow(step: 'write' | 'datasync'): Promise<void> {
  onTestFinished(await delayDisk(step, () => wait(200)));
}

describe('while a sync takes long', () => {
  it('further records reach the file, in their order, without another call', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const { sink } = await open(path);
    const sync = await hold('datasync');
    for (let id = 1; id <= 3; id += 1) {
      sink.record(JSON.stringify({ id }));
      await expect.poll(() => idsOf(path), { timeout: 20_000 }).toHaveLength(id);
    }
    expect(sink.written()).toBeNull();
    expect(sync.begun()).toBe(1);
    sync.release();
    await sink.flush();
    expect(await idsOf(path)).toEqual([1, 2, 3]);
  });

  it('files are rotated, and at most 16 stay open for it', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const { sink } = await open(path, { limits: { maxBytes: 100, maxAgeMs: Number.POSITIVE_INFINITY } });
    const sync = await hold('datasync');
    const ids = Array.from({ length: 40 }, (_, id) => id);
    for (const id of ids) sink.record(JSON.stringify({ id, pad: 'x'.repeat(80) }));
    // Files that are rotated within a millisecond have no order.
    const sorted = async () => (await idsOf(path)).toSorted((one, other) => Number(one) - Number(other));
    await expect.poll(sorted, { timeout: 20_000 }).toEqual(ids.slice(0, 16));
    sync.release();
    await sink.flush();
    expect(await sorted()).toEqual(ids);
  });

  it('records that wait for it count against the memory, and calls are refused before it is full', async () => {
    const { sink } = await open(join(temporaryFolder(), 'log.jsonl'), { maxQueued: 10_000 });
    const sync = await hold('datasync');
    for (let index = 0; index < 6; index += 1) sink.record(JSON.stringify({ pad: 'x'.repeat(989) }));
    await expect.poll(() => sync.begun(), { timeout: 20_000 }).toBe(1);
    expect(() => sink.admit()).toThrow(expect.objectContaining({ code: 'audit_unavailable' }));
    sync.release();
    await sink.flush();
    expect(() => sink.admit()).not.toThrow();
  });

  it('a failure of it refuses calls, and the records are written again', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const { sink, lines } = await open(path);
    let fails = true;
    const undo = await delayDisk('datasync', async () => {
      if (fails) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
    });
    onTestFinished(undo);
    sink.record('{"id":1}');
    await expect(sink.flush()).rejects.toThrow(/EIO/);
    sink.record('{"id":2}');
    expect(() => sink.admit()).toThrow(expect.objectContaining({ code: 'audit_unavailable' }));
    fails = false;
    await expect.poll(() => lines.at(-1)?.message, { timeout: 20_000 }).toMatch(/can be written again/);
    expect(() => sink.admit()).not.toThrow();
    expect(await idsOf(path)).toEqual([1, 1, 2]);
    expect(lines.map(({ level }) => level)).toEqual(['error', 'warn']);
  });
});

describe('a flush', () => {
  it('does not wait for records that come during a write', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const { sink } = await open(path);
    onTestFinished(await delayDisk('write', async () => sink.record('{"id":"later"}')));
    sink.record('{"id":"first"}');
    await sink.flush();
    expect((await idsOf(path))[0]).toBe('first');
  });

  it('does not wait for records that are written during a sync', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const { sink } = await open(path);
    const undo = await delayDisk('datasync', async () => {
      const many = (await idsOf(path)).length;
      sink.record('{"id":"later"}');
      while ((await idsOf(path)).length === many) await turn();
    });
    onTestFinished(undo);
    sink.record('{"id":"first"}');
    await sink.flush();
    expect(await idsOf(path)).toEqual(['first', 'later']);
  });
});

describe('while a write takes long', () => {
  it('answers wait until their records are in the file', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const { sink } = await open(path);
    const write = await hold('write');
    sink.record('{"id":1}');
    expect(sink.written()).toBeNull();
    await expect.poll(() => sink.written() !== null, { timeout: 20_000 }).toBe(true);
    sink.record('{"id":2}');
    const answered = sink.written();
    expect(await idsOf(path)).toEqual([]);
    write.release();
    await answered;
    expect(await idsOf(path)).toEqual([1, 2]);
    await sink.flush();
    expect(sink.written()).toBeNull();
  });

  it('256 records wait at most, whatever the time', async () => {
    const { sink } = await open(join(temporaryFolder(), 'log.jsonl'));
    for (let id = 1; id < 256; id += 1) sink.record(JSON.stringify({ id }));
    sink.record('{"id":256}');
    expect(sink.written()).not.toBeNull();
    await sink.written();
    expect(sink.written()).toBeNull();
  });

  it('for ten seconds, calls are refused until it ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(temporaryFolder(), 'log.jsonl');
    const { sink, lines } = await open(path);
    const write = await hold('write');
    for (let id = 1; id <= 256; id += 1) sink.record(JSON.stringify({ id }));
    const answered = sink.written();
    vi.advanceTimersByTime(10_000);
    await answered;
    expect(() => sink.admit()).toThrow(expect.objectContaining({ code: 'audit_unavailable' }));
    expect(lines.at(-1)?.message).toMatch(/takes more than 10 seconds/);
    write.release();
    await sink.flush();
    expect(() => sink.admit()).not.toThrow();
    expect(await idsOf(path)).toHaveLength(256);
  });
});

describe.each(['write', 'datasync'] as const)('on a disk that takes 200 ms for a %s', (step) => {
  it.each([1, 100])('%d callers have a tenth of a second of records in memory at most', async (callers) => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const { sink } = await open(path);
    await slow(step);
    const answered = new Map<string, number>();
    const end = performance.now() + 2_000;
    const calling = Array.from({ length: callers }, async (_, caller) => {
      for (let index = 0; performance.now() < end; index += 1) {
        const id = `${caller}-${index}`;
        sink.record(JSON.stringify({ id }));
        const written = sink.written();
        if (written === null) answered.set(id, performance.now());
        else await written.then(() => answered.set(id, performance.now()));
        await turn();
      }
    });
    let longest = 0;
    while (performance.now() < end) {
      const there = new Set(await idsOf(path));
      const times = [...answered].flatMap(([id, at]) => (there.has(id) ? [] : [at]));
      // The file is read first, so records that are answered and written after it count too.
      longest = Math.max(longest, times.length === 0 ? 0 : Math.max(...times) - Math.min(...times));
      for (const id of there) answered.delete(String(id));
      await turn();
    }
    await Promise.all(calling);
    await sink.close();
    expect(longest).toBeLessThan(101);
    const ids = await idsOf(path);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(callers * 5);
  });
});

function write(env: object, ...args: readonly string[]) {
  const child = spawn(process.execPath, ['--import', SLOW_DISK, WRITER, ...args], {
    stdio: ['ignore', 'inherit', 'ignore'],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return once(child, 'close');
}

it('an uncaught error loses nothing, though the disk is slow', async () => {
  const path = join(temporaryFolder(), 'log.jsonl');
  const [code] = await write({ SLOW_SYNC: '5000' }, path, 'a', 'crash', '5000');
  expect(code).toBe(1);
  const ids = await idsOf(path);
  expect(new Set(ids).size).toBe(5_000);
});

it.each(['SLOW_WRITE', 'SLOW_SYNC'])(
  'two processes rotate one file, and lose and repeat nothing: %s',
  async (step) => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const codes = await Promise.all(
      ['a', 'b'].map((name) => write({ [step]: '20' }, path, name, 'close', '2000', '20000')),
    );
    expect(codes.map(([code]) => code)).toEqual([0, 0]);
    expect(readdirSync(join(path, '..')).length).toBeGreaterThan(5);
    const ids = await idsOf(path);
    expect(ids).toHaveLength(4_000);
    expect(new Set(ids).size).toBe(4_000);
  },
);

/** A disk far slower than the limit of this test, so that a slow machine does not decide. */
const SECONDS = 6;
const LIMIT_MS = 2_000;

describe.each(['SLOW_WRITE', 'SLOW_SYNC'])('`svc serve` with %s', (step) => {
  it('has every record of older answers after kill -9, under load', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'tools'));
    writeFileSync(
      join(root, 'svc-site.yml'),
      'svc: 1\nproject: demo\nprofile: default\nprofiles: { default: { audit: { enabled: true, path: log.jsonl } } }\n',
    );
    writeFileSync(
      join(root, 'tools/echo.yml'),
      'svc: 1\ntool:\n  name: echo\n  parameters: [{ name: id, type: integer }]\n  source: { code: SELECT $id AS id }\n',
    );
    const env = { NODE_OPTIONS: `--import ${SLOW_DISK}`, [step]: String(SECONDS * 1_000) };
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
    const { url } = JSON.parse((await server.until(/^\{.*\}$/m))[0]);
    const answered = new Map<number, number>();
    let next = 0;
    const end = performance.now() + (SECONDS - 1) * 1_000;
    const calling = Array.from({ length: 100 }, async () => {
      while (performance.now() < end) {
        next += 1;
        const id = next;
        const text = await call(url, id).catch(() => null);
        if (text === null) return;
        expect(text).toContain(`\\"id\\":${id}`);
        answered.set(id, performance.now());
        // A hundred callers without a pause would make this a test of speed.
        await wait(50);
      }
    });
    await wait(end - performance.now());
    const killed = performance.now();
    server.child.kill('SIGKILL');
    await Promise.all([server.ended, ...calling]);
    const there = new Set(
      readFileSync(join(root, 'log.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line).input_data.id),
    );
    const lost = [...answered].filter(([id, at]) => !there.has(id) && at < killed - LIMIT_MS);
    expect(answered.size).toBeGreaterThan(0);
    // A write that takes so long leaves the answers of the first tenth of a second without their records.
    const [first = 0] = answered.values();
    const atRisk = lost.filter(([, at]) => step === 'SLOW_SYNC' || at > first + LIMIT_MS);
    expect(atRisk).toEqual([]);
  });
});

async function call(url: string, id: number): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'echo', arguments: { id } },
    }),
  });
  return response.text();
}
