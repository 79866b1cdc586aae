import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createDoor } from '../../../../../adapters/node/http/door.ts';
import { type HttpServer, startHttpServer } from '../../../../../adapters/node/http/server.ts';
import type { App } from '../../../../../src/app.ts';
import type { LogLine } from '../../../../../src/ports.ts';
import { eventually } from '../../../mcp/eventually.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A server whose app answers when the test says so. */
async function start(door: Parameters<typeof startHttpServer>[0]['door']) {
  const inside: { readonly url: string; readonly answer: () => void }[] = [];
  const lines: LogLine[] = [];
  const app: Pick<App, 'fetch'> = {
    fetch: ({ url }) =>
      new Promise((resolve) => {
        inside.push({ url: new URL(url).pathname, answer: () => resolve(new Response('right')) });
      }),
  };
  const log = (line: LogLine): void => void lines.push(line);
  const server = await startHttpServer({
    app: app as App,
    host: '127.0.0.1',
    port: 0,
    graceMs: 100,
    trustProxy: true,
    log,
    ...(door === undefined ? {} : { door }),
  });
  open.push(server);
  return { inside, lines, server };
}

const FOREVER = 3_600_000;

function ask({ port }: HttpServer, path: string, client = '10.0.0.1') {
  const sent = request({ port, path, method: 'POST', agent: false, headers: { 'x-forwarded-for': client } });
  sent.on('error', () => {});
  sent.end('{}');
  const answer = new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve) => {
    sent.on('response', async (response) => {
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, text: await text(response) });
    });
    sent.on('close', () => resolve({ status: 0, headers: {}, text: '' }));
  });
  return answer;
}

describe('a server with too much to do', () => {
  it('refuses requests that waited too long, unread, with the time to try again', async () => {
    const { server, inside, lines } = await start({
      mostYoung: 2,
      youngMs: FOREVER,
      mostWaitMs: 100,
      burst: 0,
    });
    const served = [ask(server, '/mcp'), ask(server, '/mcp')];
    await eventually(() => inside).toHaveLength(2);
    const [refused, plain] = await Promise.all([ask(server, '/mcp'), ask(server, '/x?token=a')]);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(JSON.parse(refused.text)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32603, message: 'The server has too much to do; try again.' },
    });
    expect(JSON.parse(plain.text)).toEqual({
      error: 'busy',
      message: 'The server has too much to do; try again.',
    });
    expect(inside).toHaveLength(2);
    for (const one of inside) one.answer();
    for (const answer of served) expect(await answer).toMatchObject({ status: 200, text: 'right' });
    expect(lines).toEqual([]);
  });

  it('lets a burst wait, and refuses what goes beyond it', async () => {
    const door = { mostYoung: 1, youngMs: FOREVER, mostWaitMs: 100, burst: 2, burstWaitMs: FOREVER };
    const { server, inside } = await start(door);
    const first = ask(server, '/first');
    await eventually(() => inside).toHaveLength(1);
    const asked = ['/a', '/b', '/c', '/d'].map((path) => ask(server, path));
    let refused = 0;
    for (const answer of asked) void answer.then(({ status }) => (refused += status === 503 ? 1 : 0));
    await eventually(() => refused).toBe(2);
    for (let n = 0; n < 3; n += 1) {
      await eventually(() => inside.length).toBeGreaterThan(n);
      inside[n]?.answer();
    }
    const statuses = (await Promise.all([first, ...asked])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 200, 503, 503]);
  });

  it('lets the next one in when one was answered', async () => {
    const { server, inside } = await start({ mostYoung: 1, youngMs: FOREVER, mostWaitMs: FOREVER });
    const asked = [ask(server, '/a')];
    await eventually(() => inside).toHaveLength(1);
    asked.push(ask(server, '/b'));
    inside[0]?.answer();
    await eventually(() => inside.map(({ url }) => url)).toEqual(['/a', '/b']);
    inside[1]?.answer();
    for (const answer of asked) expect((await answer).text).toBe('right');
  });

  it('counts no request that runs for long', async () => {
    const { server, inside } = await start({ mostYoung: 1, youngMs: 100, mostWaitMs: FOREVER });
    const paths = ['/a', '/b', '/c'];
    const asked = paths.map((path) => ask(server, path));
    await eventually(() => inside.map(({ url }) => url).sort()).toEqual(paths);
    for (const one of inside) one.answer();
    for (const answer of asked) expect((await answer).status).toBe(200);
  });

  it('serves clients in turn', async () => {
    const { server, inside } = await start({ mostYoung: 1, youngMs: FOREVER, mostWaitMs: FOREVER });
    const first = ask(server, '/first');
    await eventually(() => inside).toHaveLength(1);
    const greedy = Array.from({ length: 20 }, (_, n) => ask(server, `/greedy-${n}`, '10.0.0.2'));
    const modest = ask(server, '/modest', '10.0.0.3');
    for (let n = 0; n < 22; n += 1) {
      await eventually(() => inside.length).toBeGreaterThan(n);
      inside[n]?.answer();
    }
    await Promise.all([first, modest, ...greedy]);
    expect(inside.map(({ url }) => url)).toContain('/modest');
  });

  it('lets no client pass by the others with probes without end', async () => {
    const { server, inside } = await start({
      mostYoung: 1,
      youngMs: FOREVER,
      mostWaitMs: FOREVER,
      probesMs: FOREVER,
    });
    const asked = [ask(server, '/first')];
    await eventually(() => inside).toHaveLength(1);
    const many = Array.from({ length: 40 }, () => ask(server, '/ready', '10.0.0.2'));
    asked.push(...many);
    await eventually(() => inside.length).toBeGreaterThan(16);
    asked.push(ask(server, '/health', '10.0.0.3'));
    await eventually(() => inside.map(({ url }) => url)).toContain('/health');
    expect(inside.length).toBeLessThan(40);
    for (let n = 0; n < asked.length; n += 1) {
      await eventually(() => inside.length).toBeGreaterThan(n);
      inside[n]?.answer();
    }
    for (const answer of asked) expect((await answer).status).toBe(200);
  });

  it('answers probes', async () => {
    const { server, inside } = await start({ mostYoung: 1, youngMs: FOREVER, mostWaitMs: FOREVER });
    const first = ask(server, '/first');
    await eventually(() => inside).toHaveLength(1);
    const probe = ask(server, '/ready');
    await eventually(() => inside.map(({ url }) => url)).toEqual(['/first', '/ready']);
    inside[1]?.answer();
    expect((await probe).status).toBe(200);
    inside[0]?.answer();
    await first;
  });
});

describe('createDoor', () => {
  it('gives each client its turn, however many requests another one has, and none to those that left', async () => {
    const begun: string[] = [];
    const closing: (() => void)[] = [];
    const { listener } = createDoor(({ url = '' }) => void begun.push(url), {
      clientOf: ({ url = '' }) => url.slice(0, 2),
      refuse: () => {},
      measures: { mostYoung: 1, youngMs: FOREVER, mostWaitMs: FOREVER },
    });
    const arrive = (url: string): void => {
      const outgoing = {
        destroyed: url === '/left',
        once: (_: string, close: () => void) => closing.push(close),
      };
      listener(
        { url } as IncomingMessage,
        outgoing as unknown as ServerResponse<IncomingMessage> & { req: IncomingMessage },
      );
    };
    for (const url of ['/a1', '/a2', '/a3', '/a4', '/b1', '/c1', '/left', '/c2']) arrive(url);
    for (let n = 0; n < 7; n += 1) {
      closing[n]?.();
      await setImmediate();
    }
    expect(begun).toEqual(['/a1', '/a2', '/b1', '/c1', '/a3', '/c2', '/a4']);
  });
});
