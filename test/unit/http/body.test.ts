import { expect, it } from 'vitest';
import { readBody } from '../../../src/http/body.ts';

const CHUNK = new TextEncoder().encode('x'.repeat(1_000));

/** A request whose body never ends, and the number of its pieces that were read. */
function endless(headers: Record<string, string>) {
  let pieces = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      pieces += 1;
      if (pieces > 1_000) controller.error(new Error('somebody reads it all'));
      else controller.enqueue(CHUNK);
    },
  });
  // Node asks for `duplex`, which the types do not know.
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' };
  const request = new Request('http://localhost/', init);
  return { request, pieces: () => pieces };
}

it.each([
  ['no length', {}],
  ['a length beside pieces', { 'content-length': '10', 'transfer-encoding': 'chunked' }],
  ['a length that is no number', { 'content-length': 'ten' }],
])('a body is not read beyond its limit: %s', async (_, headers) => {
  const { request, pieces } = endless(headers as Record<string, string>);
  await expect(readBody(request, 5_000)).rejects.toMatchObject({ code: 'request_too_large' });
  expect(pieces()).toBeLessThan(20);
});
