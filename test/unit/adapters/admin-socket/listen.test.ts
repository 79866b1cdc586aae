import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { listenOnSocket } from '../../../../adapters/admin-socket/listen.ts';
import { createAdmin } from '../../../../src/admin/app.ts';
import type { AdminSource } from '../../../../src/admin/source.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-admin-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SOURCE = new Proxy({} as AdminSource, {
  get: () => {
    throw new Error('the disk is gone');
  },
});

function adminOf(debug = false) {
  return createAdmin({ source: SOURCE, clock: Date, log: () => {}, debug, workbench: async () => null });
}

/** The last bytes of an answer to bytes: its status, and its body. */
async function answerTo(bytes: string, debug = false) {
  const path = join(folder, 'svc.sock');
  const socket = await listenOnSocket(adminOf(debug), path);
  const client = connect(path).setEncoding('latin1');
  client.write(bytes);
  const [head = '', body = ''] = (await client.toArray()).join('').split('\r\n\r\n');
  await socket.close();
  return { status: Number(head.split(' ')[1]), type: /^content-type: (.*)$/im.exec(head)?.[1], body };
}

const get = (path: string, ...headers: readonly string[]) =>
  [`GET ${path} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n');

describe('each error on the admin socket', () => {
  // Requirements: error.body, error.codes
  it.each([
    ['no HTTP at all', 'nonsense\r\n\r\n', 400, 'bad_request'],
    ['a host that is none', get('/status', 'Host: a b'), 400, 'bad_request'],
    ['a length that is none', get('/status', 'Host: localhost', 'Content-Length: x'), 400, 'bad_request'],
    ['too many headers', get('/status', 'Host: localhost', `X: ${'x'.repeat(20_000)}`), 400, 'bad_request'],
    ['no host', get('/nope'), 404, 'not_found'],
    ['a foreign host', get('/status', 'Host: evil.example'), 403, 'access_denied'],
    ['an expectation', get('/nope', 'Host: localhost', 'Expect: all'), 404, 'not_found'],
    ['a fault of the server', get('/status', 'Host: localhost'), 500, 'internal_error'],
  ])('has a code and a text: %s', async (_name, bytes, status, error) => {
    const { body, ...answer } = await answerTo(bytes);
    expect(answer).toEqual({ status, type: 'application/json' });
    expect(JSON.parse(body)).toEqual({ error, message: expect.stringMatching(/.{10}/) });
  });

  // Requirements: error.detail
  it('has a detail in debug mode', async () => {
    for (const bytes of ['nonsense\r\n\r\n', get('/nope')]) {
      const { error, message, detail } = JSON.parse((await answerTo(bytes, true)).body);
      expect([typeof error, typeof message, typeof detail]).toEqual(['string', 'string', 'string']);
    }
  });
});

/** A server that listens on a socket and accepts no connection. */
const STUCK = `require('node:net').createServer().listen({ path: process.argv[1], backlog: 0 }, () => {
  require('node:fs').writeSync(1, 'listens');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
})`;

/** Connects until no further connection finds a place. */
async function fill(path: string): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (;;) {
    const socket = connect(path);
    sockets.push(socket);
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (!connected) return sockets;
  }
}

it.skipIf(process.platform !== 'linux')('does not take the socket of a server that is too busy', async () => {
  const path = join(folder, 'busy.sock');
  const server = spawn(process.execPath, ['-e', STUCK, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  await once(server.stdout, 'data');
  const sockets = await fill(path);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const before = statSync(path).ino;
  await expect(listenOnSocket(adminOf(), path)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(path),
  });
  expect(statSync(path).ino).toBe(before);
});

it('a path that is too long for a socket is refused with its length', async () => {
  const path = join(folder, 'ü'.repeat(60));
  await expect(listenOnSocket(adminOf(), path)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(
      /has \d+ bytes, and this system takes at most 10[37]: .*\n.* a shorter one/,
    ),
  });
  expect(existsSync(path)).toBe(false);
});
