import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { cpSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type KeyInput, listenToKeys, toKeyLine } from '../../../../cli/serve/keys.ts';
import { folder } from '../svc.ts';

const SCRIPT = '/usr/bin/script';

/** A terminal without a machine behind it. */
function createInput() {
  const emitter = new EventEmitter();
  const modes: boolean[] = [];
  const input = Object.assign(emitter, {
    isTTY: true,
    setRawMode: (mode: boolean) => {
      modes.push(mode);
      return input;
    },
    resume: () => input,
    pause: () => input,
  }) as unknown as KeyInput;
  return { input, modes, type: (text: string) => emitter.emit('data', Buffer.from(text)) };
}

describe('the keys of svc dev', () => {
  it('are listed, run their work, report its errors, and leave the terminal as it was', async () => {
    const { input, modes, type } = createInput();
    const done: string[] = [];
    const { promise: failed, resolve: fail } = Promise.withResolvers<string>();
    const keys = [
      { key: 'r', does: 'reload', press: () => void done.push('r') },
      { key: 't', does: 'run tests', press: async () => Promise.reject(new Error('no database')) },
    ];
    expect(toKeyLine(keys)).toBe('r reload · t run tests · Ctrl-C stop');
    const stop = listenToKeys(keys, input, fail);
    type('x');
    type('r');
    type('t');
    expect(await failed).toContain('no database');
    stop();
    type('r');
    expect([done, modes]).toEqual([['r'], [true, false]]);
  });

  it('are read from a chunk of several, but not from a paste', async () => {
    const { input, type } = createInput();
    const done: string[] = [];
    const press = (key: string) => ({ key, does: key, press: () => void done.push(key) });
    const stop = listenToKeys([press('r'), press('t')], input, () => {});
    onTestFinished(stop);
    type('rtrr');
    type('start');
    type('\u001b[r');
    expect(done).toEqual(['r', 't']);
  });

  it.each([
    ['SIGINT', '\u0003\u0003'],
    ['SIGINT', 'r\u0003'],
    ['SIGTSTP', '\u001a\u001a'],
  ] as const)('send %s from a chunk of several keys', async (signal, text) => {
    const { input, type } = createInput();
    onTestFinished(listenToKeys([], input, () => {}));
    const sent = new Promise((resolve) => process.once(signal, resolve));
    type(text);
    expect(await sent).toBe(signal);
  });

  it.skipIf(!existsSync(SCRIPT))('reload and run tests on a real terminal', async () => {
    const root = join(folder(), 'shop');
    cpSync('examples/shop', root, { recursive: true });
    const command = `${process.execPath} ${resolve('cli/svc.js')} dev --port 0`;
    const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { cwd: root });
    onTestFinished(() => void child.kill('SIGKILL'));
    let shown = '';
    const until = (pattern: RegExp) =>
      new Promise<void>((found) => {
        const look = () => {
          if (!pattern.test(shown)) return;
          child.stdout.off('data', look);
          found();
        };
        child.stdout.on('data', look);
        look();
      });
    child.stdout.on('data', (chunk) => {
      shown += chunk;
    });
    await until(/r reload · t run tests · w open the workbench/);
    child.stdin.write('t');
    await until(/\d+ passed/);
    child.stdin.write('r');
    await until(/the reload .*|reloaded/);
    const ended = new Promise((done) => child.once('close', done));
    child.stdin.write('\u0003');
    await ended;
  });
});
