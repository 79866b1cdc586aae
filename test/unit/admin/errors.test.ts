import { expect, it } from 'vitest';
import { createAdmin } from '../../../src/admin/app.ts';
import type { AdminSource } from '../../../src/admin/source.ts';
import type { LogLine } from '../../../src/ports.ts';

const BROKEN = new Proxy({} as AdminSource, {
  get: () => {
    throw new Error('the disk is gone');
  },
});

// Requirements: error.500, error.codes
it.each([
  [false, { error: 'internal_error', message: 'the disk is gone' }],
  [true, { error: 'internal_error', message: 'the disk is gone', detail: 'internal: the disk is gone' }],
])('a fault of the server is 500 internal_error (debug: %s)', async (debug, body) => {
  const lines: LogLine[] = [];
  const log = (line: LogLine) => void lines.push(line);
  const admin = createAdmin({
    source: BROKEN,
    clock: { now: () => 0 },
    log,
    debug,
    workbench: async () => null,
  });
  const response = await admin.fetch(new Request('http://localhost/status'));
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual(body);
  expect(lines).toEqual([{ level: 'error', message: 'admin: the disk is gone' }]);
});

it.each([
  ['DELETE', '/status', 'GET, HEAD'],
  ['GET', '/reload', 'POST'],
  ['POST', '/docs', 'GET, HEAD'],
])('%s %s is refused with the methods that there are', async (method, path, allowed) => {
  const admin = createAdmin({
    source: BROKEN,
    clock: { now: () => 0 },
    log: () => {},
    debug: false,
    workbench: async () => null,
  });
  const response = await admin.fetch(new Request(`http://localhost${path}`, { method }));
  expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
  expect(await response.json()).toEqual({
    error: 'method_not_allowed',
    message: `${path} does not take ${method}.`,
  });
});

// Requirements: admin.host
it.each([
  ['http://localhost:9000', 200],
  [undefined, 200],
  ['https://evil.example', 403],
  ['http://localhost:8000', 403],
  ['null', 403],
])('a page of the origin %s gets %s, at a socket that is forwarded to a port', async (origin, status) => {
  const asked: string[] = [];
  const admin = createAdmin({
    source: { ...BROKEN, reload: () => String(asked.push('/reload')) },
    clock: { now: () => 0 },
    log: () => {},
    debug: false,
    workbench: async ({ url }) => {
      const { pathname } = new URL(url);
      return pathname === '/api/reload' ? new Response(String(asked.push(pathname))) : null;
    },
  });
  const headers = { host: 'localhost:9000', ...(origin === undefined ? {} : { origin }) };
  for (const path of ['/reload', '/api/reload']) {
    const request = new Request(`http://localhost:9000${path}`, { method: 'POST', headers });
    expect((await admin.fetch(request)).status).toBe(status);
  }
  expect(asked).toEqual(status === 403 ? [] : ['/reload', '/api/reload']);
});
