import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { sendToSocket } from '../../../../adapters/admin-socket/client.ts';

test('a server that closes an answered connection fails no later request', async () => {
  const socket = join(mkdtempSync(join(tmpdir(), 'svc-admin-client-')), 'a.sock');
  const answered = new WeakSet<object>();
  const server = createServer((request, response) => {
    // A server that has just decided to close an idle connection reads no more of it.
    if (answered.has(request.socket)) return request.socket.destroy();
    answered.add(request.socket);
    return response.end(request.url);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());

  for (const path of ['/status', '/reload', '/status']) {
    expect(await text(await sendToSocket({ socket, method: 'GET', path }))).toBe(path);
  }
});
