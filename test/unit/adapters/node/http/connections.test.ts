import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Connections, trackConnections } from '../../../../../adapters/node/http/connections.ts';
import { eventually } from '../../../mcp/eventually.ts';

const REQUEST = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}';
/** Node reads so many bytes at once. */
const CHUNK = 64 * 1024;
const SENT = 20_000;

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A server that answers when it has read a body, or only when the test says so. */
async function start(answer: (outgoing: ServerResponse) => void) {
  const server = createServer();
  const connections: Connections = trackConnections(server, {
    most: Number.POSITIVE_INFINITY,
    intervalMs: 60_000,
    clientOf: () => '',
    onEnded: () => {},
  });
  const seen = { received: 0, answered: 0, most: 0 };
  server.on('request', (incoming, outgoing) => {
    seen.received += 1;
    seen.most = Math.max(seen.most, seen.received - seen.answered);
    outgoing.on('close', () => {
      seen.answered += 1;
    });
    incoming.resume();
    incoming.on('end', () => answer(outgoing));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  open.push(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { server, connections, seen, socket };
}

describe('a connection with many requests at once', () => {
  it('is read only as far as they are answered, and all are', async () => {
    const held: ServerResponse[] = [];
    let holds = true;
    const { server, seen, socket } = await start((outgoing) => {
      if (holds) held.push(outgoing);
      else outgoing.end('right');
    });
    const [accepted] = (await once(server, 'connection')) as [Socket];
    let text = '';
    socket.setEncoding('latin1').on('data', (read: string) => {
      text += read;
    });
    socket.write(REQUEST.repeat(SENT));
    await eventually(() => accepted.isPaused() && seen.received > 0).toBe(true);
    // Node parses the rest of a chunk that it has read.
    expect(seen.received).toBeLessThan((2 * CHUNK) / REQUEST.length);
    holds = false;
    for (const outgoing of held) outgoing.end('right');
    await eventually(() => seen.answered).toBe(SENT);
    await eventually(() => text.match(/HTTP\/1\.1 200/g)?.length).toBe(SENT);
    expect(seen.most).toBeLessThan((4 * CHUNK) / REQUEST.length);
  });

  it('ends all of them when its client leaves', async () => {
    const { connections, seen, socket } = await start(() => {});
    socket.write(REQUEST.repeat(10));
    await eventually(() => seen.received).toBe(10);
    socket.destroy();
    const begun = performance.now();
    await connections.drained(600_000);
    expect(performance.now() - begun).toBeLessThan(300_000);
  });
});

it('closes connections that were never used, and no others', async () => {
  const { server, connections, seen, socket } = await start((outgoing) => outgoing.end());
  socket.write(REQUEST);
  await eventually(() => seen.answered).toBe(1);
  const unused = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(server, 'connection');
  connections.closeUnused();
  await once(unused, 'close');
  expect(socket.destroyed).toBe(false);
});
