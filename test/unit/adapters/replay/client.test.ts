import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createReplayClient } from '../../../../adapters/replay/client.ts';

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<URL> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  onTestFinished(() => void server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

it('sends its token, names what it calls, and reads answers that are streams', async () => {
  const seen: IncomingMessage['headers'][] = [];
  const url = await serve((request, response) => {
    seen.push(request.headers);
    response.setHeader('content-type', 'text/event-stream');
    response.end('data: {"method":"notifications/progress"}\n\ndata: {"id":1,"result":{"content":[]}}\n\n');
  });
  expect(await createReplayClient(url, 'planted')('tools/call', {}, 'für')).toEqual({
    result: { content: [] },
  });
  expect(seen[0]).toMatchObject({
    authorization: 'Bearer planted',
    'mcp-method': 'tools/call',
    'mcp-name': `=?base64?${Buffer.from('für').toString('base64')}?=`,
  });
  await createReplayClient(url, null)('tools/list', {});
  expect(seen[1]?.authorization).toBeUndefined();
});

it.each([
  [401, null, 'token_missing', /requires a token \(401\).*SVC_REPLAY_TOKEN/],
  [401, 'planted', 'token_invalid', /rejects the token \(401\)/],
  [302, 'planted', 'address_unavailable', /gave no answer/],
  [200, 'planted', 'request_invalid', /no MCP message/],
])('says what keeps it from asking: %i', async (status, token, code, message) => {
  const url = await serve((_request, response) => {
    response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('<html>');
  });
  const asked = createReplayClient(url, token)('tools/list', {});
  await expect(asked).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  await expect(asked).rejects.not.toThrow('planted');
});
