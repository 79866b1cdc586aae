import { expect, test } from 'vitest';
import {
  isFunctionUrl,
  parseEvent,
  toFetchRequest,
  toHead,
  toLambdaResult,
} from '../../../../adapters/aws-lambda/event.ts';
import { SvcError } from '../../../../src/errors.ts';
import { functionUrlEvent, gatewayEvent } from './sample.ts';

const signal = new AbortController().signal;

test('the request has the method, the address, the headers and the body of the event', async () => {
  const event = functionUrlEvent({ rawQueryString: 'a=1&a=2&b=%20', body: '{"x":1}' });
  const request = toFetchRequest(event, signal);
  expect(request?.method).toBe('POST');
  expect(request?.url).toBe('https://abc123.lambda-url.eu-central-1.on.aws/mcp?a=1&a=2&b=%20');
  expect(request?.headers.get('content-type')).toBe('application/json');
  expect(await request?.text()).toBe('{"x":1}');
});

test('a base64 body arrives as its bytes', async () => {
  const bytes = Uint8Array.from([0, 255, 128, 10]);
  const body = Buffer.from(bytes).toString('base64');
  const request = toFetchRequest(functionUrlEvent({ body, isBase64Encoded: true }), signal);
  expect(new Uint8Array((await request?.arrayBuffer()) ?? [])).toEqual(bytes);
});

test('a body of characters beyond ASCII keeps them', async () => {
  expect(await toFetchRequest(functionUrlEvent({ body: '{"n":"Zoë 東京"}' }), signal)?.text()).toBe(
    '{"n":"Zoë 東京"}',
  );
});

test('cookies of the event become one cookie header', () => {
  const request = toFetchRequest(functionUrlEvent({ method: 'GET', cookies: ['a=1', 'b=2'] }), signal);
  expect(request?.headers.get('cookie')).toBe('a=1; b=2');
});

test('header values beyond Latin-1 arrive as bytes, as from any HTTP server', () => {
  const request = toFetchRequest(functionUrlEvent({ headers: { host: 'h', 'x-name': '東' } }), signal);
  const bytes = Buffer.from(request?.headers.get('x-name') ?? '', 'latin1');
  expect(bytes.toString('utf8')).toBe('東');
});

test.each([
  ['/prod/mcp', '/mcp'],
  ['/prod', '/'],
  ['/production/mcp', '/production/mcp'],
])('the gateway path %s is %s to the app', (rawPath, path) => {
  expect(new URL(toFetchRequest(gatewayEvent({ rawPath }), signal)?.url ?? '').pathname).toBe(path);
});

test('a path cannot change the host or start a query', () => {
  const request = toFetchRequest(functionUrlEvent({ rawPath: '//evil.example/a?b#c' }), signal);
  expect(new URL(request?.url ?? '').hostname).toBe('abc123.lambda-url.eu-central-1.on.aws');
  expect(new URL(request?.url ?? '').search).toBe('');
});

test('what is null is not there', async () => {
  const nothing = {
    headers: { host: 'h', 'x-none': null },
    cookies: null,
    body: null,
    isBase64Encoded: true,
  };
  const request = toFetchRequest({ ...functionUrlEvent(), ...nothing }, signal);
  expect([...(request?.headers.keys() ?? [])]).toEqual(['host']);
  expect(await request?.text()).toBe('');
  expect(toFetchRequest({ ...functionUrlEvent(), headers: null }, signal)).not.toBeNull();
});

test.each([
  { headers: { host: 'not a host' } },
  { headers: { host: 'h', 'bad name': 'x' } },
  { requestContext: { http: { method: 'TRACE' } } },
])('what HTTP does not allow is no request: %j', (parts) => {
  expect(toFetchRequest(functionUrlEvent(parts), signal)).toBeNull();
});

test('only a Function URL can stream', () => {
  expect(isFunctionUrl(functionUrlEvent())).toBe(true);
  expect(isFunctionUrl(gatewayEvent())).toBe(false);
});

test.each([
  null,
  'ping',
  {},
  { rawPath: '/' },
  { rawPath: 1, requestContext: { http: {} } },
  { rawPath: '/', requestContext: { http: null } },
  { path: '/', httpMethod: 'GET' },
])('another event shape is refused with the reason: %j', (event) => {
  expect(() => parseEvent(event)).toThrow(SvcError);
  expect(() => parseEvent(event)).toThrow(/payload format 2\.0/);
});

test('cookies travel apart, repeated headers joined', () => {
  const response = new Response(null, { status: 401 });
  response.headers.append('set-cookie', 'a=1; HttpOnly');
  response.headers.append('set-cookie', 'b=2');
  response.headers.append('vary', 'origin');
  response.headers.append('vary', 'accept');
  expect(toHead(response)).toEqual({
    statusCode: 401,
    headers: { vary: 'origin, accept' },
    cookies: ['a=1; HttpOnly', 'b=2'],
  });
});

test.each([
  'application/json',
  'text/event-stream',
  'application/problem+json; charset=utf-8',
  'image/svg+xml',
])('%s is sent as text', async (type) => {
  const result = await toLambdaResult(new Response('Zoë', { headers: { 'content-type': type } }));
  expect(result).toMatchObject({ body: 'Zoë', isBase64Encoded: false });
});

test.each([
  [{ 'content-type': 'image/png' }],
  [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }],
])('%j is sent as base64', async (headers) => {
  const bytes = Uint8Array.from([137, 80, 0, 255]);
  const result = await toLambdaResult(new Response(bytes, { headers }));
  expect(result.isBase64Encoded).toBe(true);
  expect(new Uint8Array(Buffer.from(result.body, 'base64'))).toEqual(bytes);
});

test('an empty response has an empty text body', async () => {
  expect(await toLambdaResult(new Response(null, { status: 202 }))).toMatchObject({
    statusCode: 202,
    body: '',
    isBase64Encoded: false,
  });
});

test('an answer that Lambda would not pass on says so, and how to get it', async () => {
  const quotes = (count: number) => toLambdaResult(Response.json({ text: '"'.repeat(count) }), '/mcp');
  // Each quote is escaped in the body, and again in the payload.
  expect(await quotes(1_500_000)).toMatchObject({ statusCode: 200 });
  const { statusCode, body } = await quotes(1_600_000);
  expect(statusCode).toBe(500);
  expect(JSON.parse(body)).toMatchObject({
    jsonrpc: '2.0',
    id: null,
    error: {
      message: expect.stringMatching(/^The answer has 6\.1 MiB .* pass on 6 MiB\. Ask for fewer rows/),
    },
  });
});

test('a page of another origin can read that an answer is too large', async () => {
  const headers = { 'access-control-allow-origin': 'https://app.example', vary: 'Origin', etag: '"a"' };
  const large = new Response(new Uint8Array(7_000_000), { headers });
  const result = await toLambdaResult(large, '/mcp');
  expect(result.headers).toEqual({
    'access-control-allow-origin': 'https://app.example',
    'content-type': 'application/json',
    vary: 'Origin',
  });
});
