import { PassThrough, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { HttpHead } from '../../../../adapters/aws-lambda/event.ts';
import {
  type AwsLambda,
  createHandler,
  createStreamHandler,
  type Fetch,
  type StreamHandler,
} from '../../../../adapters/aws-lambda/handler.ts';
import { createLambdaLog } from '../../../../adapters/aws-lambda/invocation.ts';
import { OPEN_ACCESS } from '../../../../src/http/access.ts';
import { BASE, createDesk } from '../../auth/fixture.ts';
import { createTestApp } from '../../mcp/fixture.ts';
import { functionUrlEvent, gatewayEvent } from './sample.ts';

const context = (left = 30_000) => ({ awsRequestId: 'req-1', getRemainingTimeInMillis: () => left });
const { scope } = createLambdaLog(() => {});
const echo: Fetch = async (request) =>
  Response.json({ path: new URL(request.url).pathname, body: await request.text() });

/** The runtime's streaming interface, recording the heads it was given. */
function recording(heads: HttpHead[]): AwsLambda {
  return {
    streamifyResponse: (handler: StreamHandler) => handler,
    HttpResponseStream: {
      from(stream: Writable, head: HttpHead): Writable {
        heads.push(head);
        return stream;
      },
    },
  };
}

test('a buffered call answers with status, headers and body', async () => {
  const result = await createHandler(echo, scope)(functionUrlEvent({ body: 'hi' }), context());
  expect(result).toMatchObject({
    statusCode: 200,
    body: '{"path":"/mcp","body":"hi"}',
    isBase64Encoded: false,
  });
});

test('the address that the platform saw goes along', async () => {
  const told: Fetch = (_request, extra) => Response.json(extra);
  const event = functionUrlEvent();
  const http = { method: 'POST', sourceIp: '192.0.2.7' };
  const known = { ...event, requestContext: { ...event.requestContext, http } };
  const handler = createHandler(told, scope);
  expect(await handler(known, context())).toMatchObject({ body: '{"address":"192.0.2.7"}' });
  expect(await handler(event, context())).toMatchObject({ body: '{}' });
});

test('sign-in is refused on a named stage of API Gateway, where clients find no metadata', async () => {
  const parts = { listens: null };
  const unaddressed = { parts, http: { base_url: null } };
  const ask = async (desk: ReturnType<typeof createDesk>, event = gatewayEvent()) =>
    createHandler(desk.app.fetch, scope)(event, context());
  const desk = createDesk(unaddressed);
  expect(await ask(desk)).toMatchObject({ statusCode: 500, body: expect.stringContaining('misconfigured') });
  const message = expect.stringMatching(/below \/prod.*\$default/s);
  expect(desk.lines).toContainEqual(expect.objectContaining({ level: 'error', message }));
  const { requestContext } = gatewayEvent();
  const standard = { rawPath: '/mcp', requestContext: { ...requestContext, stage: '$default' } };
  const ownDomain = { requestContext: { ...requestContext, domainName: 'mcp.example.org' } };
  for (const event of [gatewayEvent(standard), gatewayEvent(ownDomain), functionUrlEvent()]) {
    expect(await ask(desk, event)).toMatchObject({ statusCode: 401 });
  }
  const address = { baseUrl: BASE, trustProxy: false, scheme: null };
  const behindProxy = createDesk({ parts, app: { publicAddress: address } });
  const keysOnly = createDesk({ ...unaddressed, auth: { provider: null, api_keys: [] } });
  for (const one of [behindProxy, keysOnly]) expect(await ask(one)).toMatchObject({ statusCode: 401 });
});

test('the start page names the address below a stage', async () => {
  const app = createTestApp(undefined, { access: OPEN_ACCESS });
  const event = gatewayEvent({ method: 'GET', rawPath: '/prod' });
  const { body } = (await createHandler(app.fetch, scope)(event, context())) as { body: string };
  expect(JSON.parse(body).mcp.url).toBe('https://abc123.execute-api.eu-central-1.amazonaws.com/prod/mcp');
});

test('what is no HTTP request is answered 400', async () => {
  const event = functionUrlEvent({ headers: { host: 'not a host' } });
  expect(await createHandler(echo, scope)(event, context())).toMatchObject({ statusCode: 400 });
});

test('a streamed call sends the head first and each chunk as it comes', async () => {
  const heads: HttpHead[] = [];
  let release = () => {};
  const second = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fetch: Fetch = () => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('one'));
        await second;
        controller.enqueue(new TextEncoder().encode('two'));
        controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream', 'set-cookie': 'a=1' } });
  };
  const out = new PassThrough();
  const done = createStreamHandler(fetch, scope, recording(heads))(functionUrlEvent(), out, context());
  const first: Buffer = await new Promise((resolve) => out.once('data', resolve));
  expect(first.toString()).toBe('one');
  expect(heads[0]).toMatchObject({ statusCode: 200, cookies: ['a=1'] });
  release();
  expect((await buffer(out)).toString()).toBe('two');
  await done;
});

test('a streamed response without a body still sends its head and ends', async () => {
  const heads: HttpHead[] = [];
  const out = new PassThrough();
  const handler = createStreamHandler(() => new Response(null, { status: 202 }), scope, recording(heads));
  await Promise.all([handler(functionUrlEvent(), out, context()), buffer(out)]);
  expect(heads).toEqual([{ statusCode: 202, headers: {}, cookies: [] }]);
});

test('API Gateway gets one whole payload from the streaming handler', async () => {
  const heads: HttpHead[] = [];
  const out = new PassThrough();
  const handler = createStreamHandler(echo, scope, recording(heads));
  const [, bytes] = await Promise.all([handler(gatewayEvent({ body: 'hi' }), out, context()), buffer(out)]);
  expect(JSON.parse(bytes.toString())).toMatchObject({
    statusCode: 200,
    body: '{"path":"/mcp","body":"hi"}',
  });
  expect(heads).toEqual([]);
});

test('the request is cancelled when the function is about to run out of time', async () => {
  const fetch: Fetch = (request) =>
    new Promise((resolve) => {
      request.signal.addEventListener('abort', () => resolve(new Response(request.signal.reason.code)));
    });
  const result = await createHandler(fetch, scope)(functionUrlEvent(), context(510));
  expect(result).toMatchObject({ body: 'deadline_exceeded' });
});

test('the request is cancelled and the body released when the client goes away', async () => {
  const out = new PassThrough();
  let cancelled = false;
  let signal: AbortSignal | undefined;
  const fetch: Fetch = (request) => {
    signal = request.signal;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024)),
      cancel: () => {
        cancelled = true;
      },
    });
    return new Response(body);
  };
  const done = createStreamHandler(fetch, scope, recording([]))(functionUrlEvent(), out, context());
  out.once('data', () => out.destroy());
  await expect(done).rejects.toThrow();
  expect(signal?.aborted).toBe(true);
  expect(cancelled).toBe(true);
});

test('log lines have no character of a caller that a terminal obeys, and lose none', () => {
  const lines: string[] = [];
  const { log } = createLambdaLog((line) => lines.push(line));
  const message = '\u001b[2J\u009b31m\u202eevil\u2028';
  log({ level: 'error', message });
  expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(lines[0] ?? '')).toEqual({ level: 'error', message });
});

test('log lines of a call carry its raw ids, also when calls overlap', async () => {
  const lines: string[] = [];
  const { log, scope: logged } = createLambdaLog((line) => lines.push(line));
  const handler = createHandler(async () => {
    await Promise.resolve();
    log({ level: 'info', message: 'called', fields: { tool: 'hello' } });
    return new Response(null);
  }, logged);
  await Promise.all([
    handler(functionUrlEvent(), { ...context(), awsRequestId: 'a' }),
    handler(gatewayEvent(), { ...context(), awsRequestId: 'b' }),
  ]);
  log({ level: 'warn', message: 'outside' });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 'info', message: 'called', aws_request_id: 'a', http_request_id: 'url-1', tool: 'hello' },
    { level: 'info', message: 'called', aws_request_id: 'b', http_request_id: 'gateway-1', tool: 'hello' },
    { level: 'warn', message: 'outside' },
  ]);
});
