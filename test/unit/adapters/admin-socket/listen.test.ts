import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
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

/** The last bytes of an answer to bytes: its status, and its body. */
async function answerTo(bytes: string, debug = false) {
  const path = join(folder, 'svc.sock');
  const parts = { source: SOURCE, clock: Date, log: () => {}, debug, workbench: async () => null };
  const socket = await listenOnSocket(createAdmin(parts), path);
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
