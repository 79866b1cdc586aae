import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { createDoor, type DoorOptions } from '../../../../adapters/node/door.ts';
import { type HttpServer, startHttpServer } from '../../../../adapters/node/server.ts';
import type { LogLine } from '../../../../src/ports.ts';
import { createTestApp, modern } from '../../mcp/fixture.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** One request that came in this turn of the event loop: what it was answered, null where nobody did yet. */
function knockAt(options: DoorOptions) {
  const refuse = createDoor(options);
  return (url = '/mcp') => {
    const answer = { status: null as number | null };
    const response = {
      writeHead: (status: number) => {
        answer.status = status;
        return response;
      },
      end: () => {},
    };
    const refused = refuse({ url } as IncomingMessage, response as unknown as ServerResponse);
    return refused ? answer.status : null;
  };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('refuses what comes late in a turn that has taken its number, and begins anew with the next', async () => {
  const knock = knockAt({ always: 2, turnMs: 0 });
  expect([knock(), knock(), knock(), knock()]).toEqual([null, null, 503, 503]);
  await nextTurn();
  expect([knock(), knock(), knock()]).toEqual([null, null, 503]);
});

it('takes as many as come while the turn is short', () => {
  const knock = knockAt({ always: 2, turnMs: Number.POSITIVE_INFINITY });
  expect(Array.from({ length: 1_000 }, () => knock()).filter((status) => status !== null)).toEqual([]);
});

it('answers whoever asks whether it lives', () => {
  const knock = knockAt({ always: 0, turnMs: 0 });
  expect([knock('/mcp'), knock('/ready'), knock('/health')]).toEqual([503, 503, null]);
});

it('says so once, and then how many there were', async () => {
  const lines: LogLine[] = [];
  const log = (line: LogLine) => void lines.push(line);
  const seldom = knockAt({ always: 0, turnMs: 0, everyMs: 3_600_000, log });
  for (let request = 0; request < 5; request += 1) seldom();
  expect(lines).toEqual([
    { level: 'warn', message: 'requests are refused: there is too much to do', fields: { refused: 1 } },
  ]);
  const often = knockAt({ always: 0, turnMs: 0, everyMs: 0, log });
  often();
  often();
  expect(lines.map(({ fields }) => fields)).toEqual([{ refused: 1 }, { refused: 1 }, { refused: 1 }]);
});

it('tells a client when to come again, in the words of its protocol', async () => {
  const door = { always: 0, turnMs: 0 };
  const server = await startHttpServer({
    app: createTestApp(),
    host: '127.0.0.1',
    port: 0,
    graceMs: 100,
    door,
  });
  open.push(server);
  const { body, headers } = modern('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
  const init = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`${server.url}/mcp`, init);
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32603, message: 'The server has too much to do; try again.' },
  });
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
});
