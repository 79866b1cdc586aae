import { expect, it } from 'vitest';
import { createRequestLog } from '../../../../../adapters/node/http/request-log.ts';
import type { LogLine } from '../../../../../src/ports.ts';
import { loggedLevels } from '../../../../../src/settings/log-level.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

it('every line of a request has its ids, also when two run at the same time', async () => {
  const lines: LogLine[] = [];
  const { log, around } = createRequestLog(
    (line) => lines.push(line),
    loggedLevels({ enabled: true, level: 'DEBUG' }),
  );
  const gate = Promise.withResolvers<void>();
  const app = around({
    fetch: async (request, extra) => {
      await gate.promise;
      log({ level: 'warn', message: new URL(request.url).pathname, fields: { code: 'x' } });
      return new Response(extra?.requestId ?? null);
    },
  });
  const traced = new Request('http://x/a', { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } });
  const broken = new Request('http://x/b', { headers: { traceparent: 'planted' } });
  const answers = Promise.all([app.fetch(traced), app.fetch(broken)]);
  gate.resolve();
  const [first, second] = await Promise.all((await answers).map((response) => response.text()));
  expect(first).not.toBe(second);
  const [warned, requests] = [
    lines.filter(({ level }) => level === 'warn'),
    lines.filter(({ level }) => level === 'debug'),
  ];
  expect(warned).toEqual([
    { level: 'warn', message: '/a', fields: { request_id: first, trace_id: TRACE, code: 'x' } },
    { level: 'warn', message: '/b', fields: { request_id: second, code: 'x' } },
  ]);
  expect(requests).toEqual([
    {
      level: 'debug',
      message: expect.stringMatching(/^GET \/a 200 [\d.]+ ms$/),
      fields: { request_id: first, trace_id: TRACE },
    },
    {
      level: 'debug',
      message: expect.stringMatching(/^GET \/b 200 [\d.]+ ms$/),
      fields: { request_id: second },
    },
  ]);
});

it('no line tells of a request unless the log takes lines of the level debug', async () => {
  const lines: LogLine[] = [];
  const { log, around } = createRequestLog(
    (line) => lines.push(line),
    loggedLevels({ enabled: true, level: 'INFO' }),
  );
  const app = around({
    fetch: async (_request, extra) => {
      log({ level: 'warn', message: 'm' });
      return new Response(extra?.requestId ?? null);
    },
  });
  const requestId = await (await app.fetch(new Request('http://x/a'))).text();
  expect(lines).toEqual([{ level: 'warn', message: 'm', fields: { request_id: requestId } }]);
});

it('lines outside of any request stay as they are', () => {
  const lines: LogLine[] = [];
  const { log } = createRequestLog(
    (line) => lines.push(line),
    loggedLevels({ enabled: true, level: 'DEBUG' }),
  );
  log({ level: 'info', message: 'm' });
  expect(lines).toEqual([{ level: 'info', message: 'm' }]);
});
