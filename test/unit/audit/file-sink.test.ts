import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listAuditFiles } from '../../../adapters/audit/audit-files.ts';
import { FileSink, type FileSinkOptions } from '../../../adapters/audit/file-sink.ts';
import { DAY, openAudit } from '../../../adapters/audit/open.ts';
import { repairTail } from '../../../adapters/audit/repair.ts';
import type { LogLine } from '../../../src/ports.ts';
import type { AuditSettings } from '../../../src/project/site-model.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const WRITER = resolve('test/unit/audit/writer.ts');

interface Opened {
  readonly sink: FileSink;
  readonly lines: LogLine[];
}

async function open(path: string, options: Partial<FileSinkOptions> = {}): Promise<Opened> {
  const lines: LogLine[] = [];
  const limits = { maxBytes: 1e9, maxAgeMs: Number.POSITIVE_INFINITY };
  const log = (line: LogLine) => void lines.push(line);
  const sink = new FileSink({ path, limits, onError: 'block', log, ...options });
  onTestFinished(() => sink.close());
  await sink.open();
  return { sink, lines };
}

function write(...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [WRITER, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function ended(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, 'close');
  return code;
}

/** The ids in all files of a log; a line that is no JSON fails. */
async function idsOf(path: string): Promise<readonly string[]> {
  const files = await listAuditFiles(path);
  return files
    .flatMap((file) => (existsSync(file.path) ? linesOf(file.path) : []))
    .map((line) => JSON.parse(line).id);
}

function linesOf(path: string): readonly string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

describe('the audit file', () => {
  // Requirements: site.audit.path
  it('is made with its folders, for its owner only', async () => {
    const root = temporaryFolder();
    const path = join(root, 'deep/er/log.jsonl');
    const { sink } = await open(path);
    sink.record('{"id":1}');
    await sink.flush();
    expect(readFileSync(path, 'utf8')).toBe('{"id":1}\n');
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(join(root, 'deep')).mode & 0o777).toString(8)).toBe('700');
  });

  // Requirements: audit.line
  it('has a record without anybody asking for it', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const { sink } = await open(path);
    sink.record('{"id":1}');
    await expect.poll(() => readFileSync(path, 'utf8'), { timeout: 10_000 }).toBe('{"id":1}\n');
  });

  it('has a record that comes after the time to write has passed during a write', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(temporaryFolder(), 'log.jsonl');
    const { sink } = await open(path);
    sink.record('{"id":1}');
    const written = sink.flush();
    sink.record('{"id":2}');
    vi.advanceTimersByTime(60_000);
    await written;
    sink.record('{"id":3}');
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await expect.poll(() => idsOf(path)).toEqual([1, 2, 3]);
  });

  it('goes on where it ended, and takes nothing after close', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    for (const id of [1, 2]) {
      const { sink, lines } = await open(path);
      sink.record(`{"id":${id}}`);
      await sink.close();
      sink.record('{"id":"late"}');
      expect(lines).toEqual([]);
    }
    expect(await idsOf(path)).toEqual([1, 2]);
  });

  it('is begun anew when somebody has moved or deleted it', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const { sink } = await open(path);
    sink.record('{"id":1}');
    await sink.flush();
    renameSync(path, `${path}.1`);
    sink.record('{"id":2}');
    await sink.flush();
    expect(linesOf(`${path}.1`)).toEqual(['{"id":1}']);
    expect(linesOf(path)).toEqual(['{"id":2}']);
  });
});

describe('a crash', () => {
  it('by kill -9 loses nothing that was synced, and tears nothing', { timeout: 120_000 }, async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    for (let round = 0; round < 20; round += 1) {
      const child = write(path, `r${round}`, 'for ever');
      let said = '';
      const safe = await new Promise<number>((done) => {
        child.stdout?.on('data', (chunk: Buffer) => {
          said += chunk;
          // Somewhere in the middle of its work, each time at another place.
          if (said.split('\n').length > 3 + round) child.kill('SIGKILL');
        });
        child.on('close', () => done(Number(said.split('\n').at(-2))));
      });
      const ids = new Set(await idsOf(path));
      const missing = Array.from({ length: safe + 1 }, (_, index) => `r${round}-${index}`).filter(
        (id) => !ids.has(id),
      );
      expect(missing).toEqual([]);
      expect(safe).toBeGreaterThan(90);
    }
  });

  it('leaves a torn line, which is kept aside at the next start', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    writeFileSync(path, '{"id":1}\n{"id":2,"name":"to');
    const { sink } = await open(path);
    sink.record('{"id":3}');
    await sink.flush();
    expect(await idsOf(path)).toEqual([1, 3]);
    expect(readFileSync(`${path}.torn`, 'utf8')).toBe('{"id":2,"name":"to\n');
    expect((statSync(`${path}.torn`).mode & 0o777).toString(8)).toBe('600');
  });

  it('is not mended while another process writes it', { timeout: 60_000 }, async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    writeFileSync(path, '{"id":0}\n');
    const lines = `'{"id":1,"pad":"' + 'x'.repeat(3000) + '"}\\n'`;
    const appends = `const fs = require('fs'); const fd = fs.openSync(process.argv[1], 'a');
for (let i = 0; i < 100; i += 1) fs.writeSync(fd, (${lines}).repeat(300));`;
    const writer = spawn(process.execPath, ['-e', appends, path], { stdio: 'inherit' });
    const left = ended(writer);
    let mended = 0;
    while (writer.exitCode === null) mended += (await repairTail(path)) ? 1 : 0;
    expect([await left, mended, (await idsOf(path)).length]).toEqual([0, 0, 30_001]);
  });

  it('leaves a whole line without its end, which stays', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    writeFileSync(path, '{"id":1}\n{"id":2}');
    const { sink } = await open(path);
    sink.record('{"id":3}');
    await sink.flush();
    expect(await idsOf(path)).toEqual([1, 2, 3]);
    expect(existsSync(`${path}.torn`)).toBe(false);
  });

  it.each(['{', '\0\0\0\0', '\xff', 'no json at all'])(
    'leaves %j, and the file can be read all the same',
    async (torn) => {
      const path = join(temporaryFolder(), 'log.jsonl');
      writeFileSync(path, Buffer.concat([Buffer.from('{"id":1}\n'), Buffer.from(torn, 'latin1')]));
      const { sink } = await open(path);
      sink.record('{"id":2}');
      await sink.flush();
      expect(await idsOf(path)).toEqual([1, 2]);
    },
  );
});

describe('the end of the process', () => {
  it.each(['close', 'exit', 'interrupt', 'idle'])(
    'by %s keeps every record',
    { timeout: 60_000 },
    async (how) => {
      const path = join(temporaryFolder(), 'log.jsonl');
      const code = await ended(write(path, 'a', how, '5000'));
      expect(code).toBe(how === 'interrupt' ? 130 : 0);
      const ids = await idsOf(path);
      expect(new Set(ids).size).toBe(5_000);
      expect(ids).toHaveLength(5_000);
    },
  );
});

describe('the end of the process on a full disk', () => {
  it('keeps the records that find room, and says how many are lost', { timeout: 60_000 }, async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const limited = ['-c', `trap '' XFSZ; ulimit -f 4; exec "$0" "$@"`, process.execPath, WRITER];
    const child = spawn('bash', [...limited, path, 'a', 'exit', '100'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said = text(child.stderr);
    await ended(child);
    const [, lost] = /(\d+) audit records are lost/.exec(await said) ?? [];
    const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    expect(whole.length).toBeGreaterThan(10);
    expect(whole.length + Number(lost)).toBe(100);
  });
});

describe('rotation', () => {
  it('loses and repeats nothing, though three processes write the same file', {
    timeout: 120_000,
  }, async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const names = ['a', 'b', 'c'];
    const codes = await Promise.all(names.map((name) => ended(write(path, name, 'close', '4000', '20000'))));
    expect(codes).toEqual([0, 0, 0]);
    const files = await listAuditFiles(path);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect(statSync(file.path).size).toBeLessThan(900_000);
    const ids = await idsOf(path);
    expect(ids).toHaveLength(12_000);
    expect(new Set(ids).size).toBe(12_000);
  });

  it('happens by the age of the first record, which a file may not show', async () => {
    const path = join(temporaryFolder(), 'log.jsonl');
    const record = (timestamp: string) =>
      JSON.stringify({ timestamp, operation_type: 'tool', operation_status: 'success' });
    writeFileSync(path, `      \n${record('2026-01-01T00:00:00.000Z')}\n`);
    const { sink } = await open(path, { limits: { maxBytes: 1e9, maxAgeMs: DAY } });
    sink.record(record(new Date().toISOString()));
    await sink.flush();
    sink.record(record(new Date().toISOString()));
    await sink.flush();
    const files = await listAuditFiles(path);
    expect(files.map((file) => linesOf(file.path).length)).toEqual([1, 2]);
  });

  it('deletes by itself only what is older than the retention', async () => {
    const root = temporaryFolder();
    const path = join(root, 'log.jsonl');
    const old = join(root, 'log-20200101T000000000Z-00000000.jsonl');
    const fresh = join(root, `log-${new Date().toISOString().replaceAll(/[-:.]/g, '')}-00000000.jsonl`);
    const others = [join(root, 'log-prod.jsonl'), join(root, 'other-20200101T000000000Z-00000000.jsonl')];
    const torn = `${path}.torn`;
    for (const file of [old, fresh, torn, ...others]) writeFileSync(file, '');
    utimesSync(torn, 0, 0);
    const settings: AuditSettings = {
      enabled: true,
      path: 'log.jsonl',
      maxFileSize: 1e6,
      retentionDays: null,
      onError: 'block',
      inputs: true,
      outputs: false,
    };
    const kept = await openAudit(settings, root, () => {});
    await kept?.sink.close();
    expect(existsSync(old)).toBe(true);
    const audit = await openAudit({ ...settings, retentionDays: 30 }, root, () => {});
    onTestFinished(() => audit?.sink.close());
    await expect.poll(() => existsSync(old) || existsSync(torn), { timeout: 10_000 }).toBe(false);
    expect([fresh, path, ...others].filter((file) => !existsSync(file))).toEqual([]);
    expect(DAY).toBe(86_400_000);
  });
});

/** A disk of our own, where this user may mount one. */
function mountDisk(bytes: number): string | null {
  const path = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'svc-audit', path], { stdio: 'ignore' });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', path]));
  return path;
}

describe('a disk without room', () => {
  it('blocks calls until there is room again, and then has every record once', async (context) => {
    const disk = mountDisk(256 * 1024);
    if (disk === null) return context.skip();
    const path = join(disk, 'log.jsonl');
    const { sink, lines } = await open(path);
    sink.record('{"id":"first"}');
    await sink.flush();
    expect(() => sink.admit()).not.toThrow();
    const filler = join(disk, 'filler');
    writeFileSync(filler, '');
    expect(() => {
      for (;;) appendFileSync(filler, randomBytes(4_096));
    }).toThrow(/ENOSPC/);
    for (let id = 0; id < 200; id += 1) sink.record(JSON.stringify({ id, pad: 'x'.repeat(100) }));
    await expect(sink.flush()).rejects.toMatchObject({ code: 'audit_unavailable' });
    expect(() => sink.admit()).toThrow(expect.objectContaining({ code: 'audit_unavailable' }));
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      expect.stringMatching(/^error the audit file .*log\.jsonl cannot be written .*calls are rejected/),
    ]);
    rmSync(filler);
    await sink.flush();
    expect(() => sink.admit()).not.toThrow();
    expect(lines.at(-1)?.message).toMatch(/can be written again/);
    expect(await idsOf(path)).toEqual(['first', ...Array.from({ length: 200 }, (_, id) => id)]);
  });

  it('by policy `warn` stops nobody; what finds no room in memory either is counted', async () => {
    const { sink, lines } = await open('/dev/full', { onError: 'warn', maxQueued: 1_000 });
    for (let id = 0; id < 100; id += 1) sink.record(JSON.stringify({ id, pad: 'x'.repeat(80) }));
    await expect(sink.flush()).rejects.toThrow(/ENOSPC/);
    expect(() => sink.admit()).not.toThrow();
    await sink.close();
    expect(lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/calls continue/),
      expect.stringMatching(/^100 audit records are lost/),
    ]);
  });

  it('by policy `block` stops a start, with what to do', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'file'), '');
    await expect(open(join(root, 'file/log.jsonl'))).rejects.toMatchObject({
      code: 'audit_unavailable',
      message: expect.stringMatching(/audit\.on_error: warn/),
    });
    const { sink, lines } = await open(join(root, 'file/log.jsonl'), { onError: 'warn' });
    expect(() => sink.admit()).not.toThrow();
    expect(lines).toHaveLength(1);
  });

  it('is found usable again without a restart', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'place'), '');
    const path = join(root, 'place/log.jsonl');
    const { sink, lines } = await open(path, { onError: 'warn' });
    sink.record('{"id":1}');
    rmSync(join(root, 'place'));
    mkdirSync(join(root, 'place'));
    chmodSync(join(root, 'place'), 0o700);
    await expect
      .poll(() => existsSync(path) && readFileSync(path, 'utf8'), { timeout: 10_000 })
      .toBe('{"id":1}\n');
    await expect.poll(() => lines.at(-1)?.message).toMatch(/again/);
  });
});

describe('a slow disk', () => {
  it('never fills the memory: calls are refused before records would be lost', async () => {
    const { sink } = await open(join(temporaryFolder(), 'log.jsonl'), { maxQueued: 10_000 });
    const line = JSON.stringify({ pad: 'x'.repeat(989) });
    for (let index = 0; index < 4; index += 1) sink.record(line);
    expect(() => sink.admit()).not.toThrow();
    for (let index = 0; index < 4; index += 1) sink.record(line);
    expect(() => sink.admit()).toThrow(expect.objectContaining({ code: 'audit_unavailable' }));
    await sink.flush();
    expect(() => sink.admit()).not.toThrow();
  });
});

it('leaves nothing in the folder but its files', async () => {
  const root = temporaryFolder();
  const { sink } = await open(join(root, 'log.jsonl'));
  sink.record('{"id":1}');
  await sink.close();
  expect(readdirSync(root)).toEqual(['log.jsonl']);
});
