import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toAddressOptions, UNCONFIGURED } from '../../../../adapters/node/http/addresses.ts';
import { startHttpServer } from '../../../../adapters/node/http/server.ts';
import { OPEN_ACCESS } from '../../../../src/http/access.ts';
import { createFakeRuntime, createTestApp } from '../../mcp/fixture.ts';
import { findChromium } from './browser.ts';

const executablePath = findChromium();

/** An address of this machine that is not loopback. */
const LAN = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === 'IPv4')?.address;
const BINDS = ['127.0.0.1', '0.0.0.0', ...(LAN === undefined ? [] : [LAN])];
/** Chromium takes these names for addresses of this machine, as DNS rebinding would. */
const RULES = '--host-resolver-rules=MAP evil.example 127.0.0.1, MAP rebound.example 127.0.0.1';

/** Everything that a page can try: each request and what it could read of the answer. */
const STEAL = `async (base) => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const headers = { accept: 'application/json, text/event-stream' };
  const json = { ...headers, 'content-type': 'application/json' };
  const tries = [
    ['/', {}], ['/health', {}], ['/mcp', { method: 'POST', body, headers: json }],
    ['/mcp', { method: 'POST', body, headers }],
    ['/mcp', { method: 'POST', body, headers, mode: 'no-cors' }],
  ];
  return Promise.all(tries.map(async ([path, init]) => {
    const answer = await fetch(base + path, init).catch(() => null);
    return answer === null ? '' : answer.status + ' ' + (await answer.text().catch(() => ''));
  }));
}`;

describe.skipIf(executablePath === null)('a page of a foreign origin in Chromium', () => {
  let browser: Browser;
  let foreign: Server;
  let page: string;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox', RULES] });
    foreign = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<title>evil</title>');
    }).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    const address = foreign.address();
    page = `http://evil.example:${typeof address === 'object' ? address?.port : ''}/`;
  });
  afterAll(async () => {
    await browser.close();
    foreign.close();
  });

  async function stolen(from: string, base: string): Promise<readonly string[]> {
    const tab = await browser.newPage();
    await tab.goto(from);
    const read = await tab.evaluate<readonly string[]>(`(${STEAL})(${JSON.stringify(base)})`);
    await tab.close();
    return read;
  }

  const serve = (
    host: string,
    access = toAddressOptions({ ...UNCONFIGURED, host }, { signIn: false }).access,
  ) => startHttpServer({ app: createTestApp(createFakeRuntime(), { access }), host, port: 0 });

  it('reads all from a server that allows every origin, so the attack works', async () => {
    const server = await serve('127.0.0.1', OPEN_ACCESS);
    const read = await stolen(page, server.url);
    expect(read.filter((text) => text.includes('greet'))).toHaveLength(1);
    await server.close();
  });

  it.each(BINDS)('reads nothing from a server without sign-in on %s', async (host) => {
    const server = await serve(host);
    for (const text of await stolen(page, server.url)) expect(text).toMatch(/^(0 )?$/);
    await server.close();
  });

  it.each(['127.0.0.1', '0.0.0.0'])(
    'reads nothing by a name that is rebound to the server on %s',
    async (host) => {
      const server = await serve(host);
      const rebound = `http://rebound.example:${server.port}`;
      // The page is of the same origin, so it may read every answer. Each of them is a refusal.
      for (const text of await stolen(`${rebound}/`, rebound)) {
        expect(text).toMatch(/^(403 .*does not answer to the host|0 $|$)/);
        expect(text).not.toContain('greet');
      }
      await server.close();
    },
  );
});

it.each([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
])('a server on %s offers an address that works', async (host, shown) => {
  const server = await startHttpServer({ app: createTestApp(createFakeRuntime()), host, port: 0 });
  expect(server.url).toBe(`http://${shown}:${server.port}`);
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  await server.close();
});
