import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeLog } from '../../../../adapters/node/log.ts';
import type { LoggingSettings } from '../../../../src/settings/model.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const SETTINGS: LoggingSettings = {
  enabled: true,
  path: null,
  level: 'WARNING',
  format: 'human',
  max_bytes: 1_000,
  backup_count: 2,
};

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

function logged(over: Partial<LoggingSettings>): readonly string[] {
  const lines: string[] = [];
  const log = createNodeLog(
    { ...SETTINGS, ...over },
    { write: (line) => lines.push(line), human: ({ level, message }) => `${level}: ${message}` },
  );
  for (const level of LEVELS) log({ level, message: `a\n${level}`, fields: { request_id: 'r1' } });
  return lines;
}

describe('the application log', () => {
  it.each([
    ['DEBUG', 4],
    ['INFO', 3],
    ['WARNING', 2],
    ['ERROR', 1],
    ['CRITICAL', 0],
  ] as const)('of level %s has %i of four lines', (level, count) => {
    expect(logged({ level })).toHaveLength(count);
  });

  it('has one line for each message in a file for people, without commands to a terminal', () => {
    const path = join(temporaryFolder(), 'svc.log');
    const log = createNodeLog({ ...SETTINGS, path }, { write: () => {}, human: () => '' });
    log({ level: 'error', message: 'a\r\nb\u001b[2Jc\u2028d\u202ee' });
    expect(readFileSync(path, 'utf8').split(' error ')[1]).toBe('a b [2Jc d e\n');
  });

  it('is one JSON object a line where that is asked for', () => {
    expect(logged({ format: 'json' }).map((line) => JSON.parse(line))).toEqual(
      ['warn', 'error'].map((level) => ({
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        level,
        message: `a\n${level}`,
        request_id: 'r1',
      })),
    );
  });

  it('is for people otherwise, and nothing where it is switched off', () => {
    expect(logged({})).toEqual(['warn: a\nwarn', 'error: a\nerror']);
    expect(logged({ enabled: false, level: 'DEBUG' })).toEqual([]);
  });

  it('writes the lines about calls together, in order, before any other line', async () => {
    const written: string[] = [];
    const first = Promise.withResolvers<void>();
    const write = (text: string) => {
      written.push(text);
      first.resolve();
    };
    const log = createNodeLog({ ...SETTINGS, level: 'INFO' }, { write, human: ({ message }) => message });
    const call = (message: string) => log({ level: 'info', message, isCall: true });
    call('one');
    call('two');
    expect(written).toEqual([]);
    await first.promise;
    expect(written).toEqual(['one\ntwo']);
    call('three');
    log({ level: 'warn', message: 'four' });
    expect(written).toEqual(['one\ntwo', 'three\nfour']);
  });

  it('writes the lines about calls when the process ends', () => {
    const listeners = process.listenerCount('exit');
    const written: string[] = [];
    const write = (text: string) => void written.push(text);
    const log = createNodeLog({ ...SETTINGS, level: 'INFO' }, { write, human: ({ message }) => message });
    log({ level: 'info', message: 'last', isCall: true });
    const [ending] = process.listeners('exit');
    ending?.call(process, 0);
    expect(written).toEqual(['last']);
    expect(process.listenerCount('exit')).toBe(listeners);
  });

  it('leaves out lines about calls while too many wait to be read, and says how many', () => {
    const written: string[] = [];
    let waiting = 0;
    const output = {
      write: (text: string) => void written.push(text),
      human: ({ level, message }: { level: string; message: string }) => `${level}: ${message}`,
      waitingBytes: () => waiting,
    };
    const log = createNodeLog({ ...SETTINGS, level: 'INFO' }, output);
    const call = (message: string) => log({ level: 'info', message, isCall: true });
    const other = (message: string) => log({ level: 'warn', message });
    call('one');
    other('two');
    waiting = 1024 * 1024 + 1;
    call('three');
    other('four');
    call('five');
    waiting = 2 * waiting;
    other('six');
    waiting = 0;
    call('seven');
    other('eight');
    expect(written.flatMap((text) => text.split('\n'))).toEqual([
      'info: one',
      'warn: two',
      'warn: four',
      'warn: six',
      'warn: 2 lines about calls are missing, because the log was not read',
      'info: seven',
      'warn: eight',
    ]);
  });

  it('writes each line by itself on a terminal', () => {
    const written: string[] = [];
    const write = (text: string) => void written.push(text);
    const output = { write, human: ({ message }: { message: string }) => message, isTerminal: true };
    const log = createNodeLog({ ...SETTINGS, level: 'INFO' }, output);
    log({ level: 'info', message: 'one', isCall: true });
    expect(written).toEqual(['one']);
  });

  it('says at the start that its file cannot be written', () => {
    expect(() => logged({ path: '/dev/null/svc.log' })).toThrow(
      /\/dev\/null\/svc\.log, which `logging\.path` names/,
    );
  });

  it('goes to a file of its owner, rotated by size', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'logs/svc.log');
    const log = createNodeLog(
      { ...SETTINGS, path, format: 'json' },
      { write: () => expect.unreachable(), human: () => '' },
    );
    for (let line = 0; line < 40; line += 1)
      log({ level: 'warn', message: `line ${line} ${'x'.repeat(60)}` });
    expect(readdirSync(join(folder, 'logs')).toSorted()).toEqual(['svc.log', 'svc.log.1', 'svc.log.2']);
    const newest = readFileSync(path, 'utf8').trim().split('\n');
    expect(JSON.parse(newest.at(-1) ?? '').message).toMatch(/^line 39 /);
    for (const name of ['svc.log', 'svc.log.1']) {
      expect(statSync(join(folder, 'logs', name)).size).toBeLessThanOrEqual(1_000);
      expect(statSync(join(folder, 'logs', name)).mode & 0o077).toBe(0);
    }
  });

  it('goes on elsewhere while its file takes no lines, and says so once', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'svc.log');
    const lines: string[] = [];
    const log = createNodeLog({ ...SETTINGS, path }, { write: (line) => lines.push(line), human: () => '' });
    const tell = (message: string) => log({ level: 'warn', message });
    tell('before');
    rmSync(folder, { recursive: true });
    tell('one');
    tell('two');
    mkdirSync(folder);
    tell('after');
    expect(lines).toEqual([
      expect.stringMatching(
        /^The log file \S+svc\.log cannot be written, so its lines appear here: .*ENOENT/,
      ),
      expect.stringMatching(/ warn one$/),
      expect.stringMatching(/ warn two$/),
    ]);
    expect(readFileSync(path, 'utf8')).toMatch(/^\S+ warn after\n$/);
  });
});
