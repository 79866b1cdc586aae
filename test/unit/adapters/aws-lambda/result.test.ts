import { expect, test } from 'vitest';
import { toHead, toLambdaResult } from '../../../../adapters/aws-lambda/result.ts';

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
