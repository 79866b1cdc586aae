import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openServer } from '../../../../adapters/replay/server.ts';
import type { JsonValue } from '../../../../src/json.ts';
import { type RecordFields, type ReplayReport, replay } from '../../../../src/quality/replay/run.ts';

/** Serves lists of one page, which ends with a cursor that is none. */
async function serve(lastCursor: unknown): Promise<{ readonly url: URL; readonly asked: () => number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    // A client that never stops gets no more answers.
    if (asked > 20) return void request.socket.destroy();
    const result = { tools: [{ name: 'find' }], nextCursor: lastCursor };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  onTestFinished(() => void server.close());
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    asked: () => asked,
  };
}

it.each([[undefined], [null]])('reads each list to its end: %j', async (lastCursor) => {
  const { url, asked } = await serve(lastCursor);
  const player = await openServer(url, null);
  expect(player.kindOf('tool', 'find')).toBe('writes');
  expect(asked()).toBe(4);
});

type Tool = { readonly name: string; readonly annotations?: { readonly readOnlyHint: boolean } };
const FIND: Tool = { name: 'find', annotations: { readOnlyHint: true } };

/** Answers a request for a method other than a list, the nth of its kind. */
type Behaviour = (response: ServerResponse, nth: number) => void;

const answer = (response: ServerResponse, message: JsonValue, status = 200) =>
  void response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...(message as object) }));
const succeed = (response: ServerResponse, value: JsonValue = { n: 1 }) =>
  answer(response, { result: { content: [], structuredContent: value } });
const refuse = (response: ServerResponse, status: number) =>
  void response.writeHead(status, { 'retry-after': '0' }).end('{}');

/** Replays records of one tool against a server that behaves in a certain way. */
async function replayed(
  behave: Behaviour,
  { names = ['find'], tools = [FIND] }: { names?: readonly string[]; tools?: readonly Tool[] } = {},
): Promise<ReplayReport & { readonly calls: number }> {
  let calls = 0;
  const server = createServer((request, response) => {
    const method = String(request.headers['mcp-method']);
    if (method.endsWith('/list'))
      return answer(response, { result: { tools: method === 'tools/list' ? tools : [] } });
    calls += 1;
    behave(response, calls);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  onTestFinished(() => void server.close());
  const player = await openServer(
    new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    null,
  );
  const records = (async function* (): AsyncGenerator<RecordFields> {
    for (const name of names)
      yield {
        operation_type: 'tool',
        operation_name: name,
        operation_status: 'success',
        input_data: {},
        output_data: { n: 1 },
      };
  })();
  return { ...(await replay(records, player)), calls };
}

const many = (times: number) => Array.from({ length: times }, () => 'find');

it.each([429, 503])('tries again when the server accepts no more calls for now: %i', async (status) => {
  const report = await replayed((response, nth) =>
    nth === 1 ? refuse(response, status) : succeed(response),
  );
  expect(report).toMatchObject({ status: 'ok', same: 1, skipped: {}, calls: 2 });
});

it('a busy answer is no difference', async () => {
  const text = 'The database has too many calls; try again.';
  const report = await replayed(
    (response, nth) =>
      nth === 1
        ? answer(response, { result: { isError: true, content: [{ type: 'text', text }] } })
        : succeed(response),
    { names: many(2) },
  );
  expect(report).toMatchObject({ status: 'ok', replayed: 1, same: 1, skipped: { circumstances: 1 } });
});

it('stops if the server accepts no more calls, and is not ok then', async () => {
  const report = await replayed((response, nth) => (nth === 1 ? succeed(response) : refuse(response, 429)), {
    names: many(20),
  });
  expect(report).toMatchObject({
    status: 'incomplete',
    records: 20,
    same: 1,
    different: 0,
    skipped: { away: 19 },
  });
  expect(report.calls).toBeLessThan(12);
});

it('an answer that is lost is a difference, and the others count', async () => {
  const report = await replayed(
    (response, nth) => {
      if (nth !== 2) return succeed(response, nth === 1 ? { n: 2 } : { n: 1 });
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
        .write('{"jsonrpc"');
      setImmediate(() => response.destroy());
    },
    { names: many(3) },
  );
  expect(report).toMatchObject({ status: 'different', replayed: 3, same: 1, different: 2 });
  expect(report.differences[1]?.differences).toEqual([
    { what: 'status', old: 'success', new: expect.stringContaining('gave no answer') },
  ]);
});

it('stops with its report if the server stays away', async () => {
  const report = await replayed((response, nth) => (nth === 1 ? succeed(response) : response.destroy()), {
    names: many(20),
  });
  expect(report).toMatchObject({
    status: 'different',
    records: 20,
    same: 1,
    different: 3,
    skipped: { away: 16 },
  });
});

it('a link to all rows that cannot be read is a difference', async () => {
  const link = { type: 'resource_link', uri: 'svc-result:///find/sealed', name: 'rows' };
  const report = await replayed((response, nth) =>
    nth === 1
      ? answer(response, { result: { content: [link] } })
      : answer(response, { error: { code: -32602, message: 'The link has expired.' } }),
  );
  expect(report).toMatchObject({ different: 1, calls: 2 });
});

it('the tools behind `tool_search` are not gone', async () => {
  const tools = [{ name: 'call' }, { name: 'search' }];
  const report = await replayed((response) => succeed(response), { tools });
  expect(report).toMatchObject({ status: 'ok', replayed: 0, skipped: { unlisted: 1 }, calls: 0 });
  const open = await replayed((response) => succeed(response), { tools: [...tools, FIND], names: ['lost'] });
  expect(open).toMatchObject({ different: 1, skipped: {} });
});

it('a call that asks a person first is skipped', async () => {
  const error = { code: -32021, message: 'The call asks, and the client takes no questions.' };
  const report = await replayed(
    (response, nth) => (nth === 1 ? answer(response, { error }, 400) : succeed(response)),
    {
      names: many(2),
    },
  );
  expect(report).toMatchObject({ status: 'ok', replayed: 1, skipped: { asks: 1 } });
});
