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

/** A request with these bytes, whose length is declared or not. */
function sending(bytes: Uint8Array<ArrayBuffer>, declared: boolean) {
  const headers: Record<string, string> = declared ? { 'content-length': String(bytes.length) } : {};
  return new Request('http://localhost/', { method: 'POST', body: bytes, headers });
}

it.each([true, false])('a body is UTF-8, or refused: with its length declared, %s', async (declared) => {
  const read = (...bytes: readonly number[]) => readBody(sending(new Uint8Array(bytes), declared));
  expect(await read(0x63, 0xc3, 0xa9)).toBe('cé');
  // U+FFFD is a character like others.
  expect(await read(0xef, 0xbf, 0xbd)).toBe('\ufffd');
  expect(await read(0xef, 0xbb, 0xbf, 0x7b, 0x7d)).toBe('{}');
  for (const bytes of [
    [0x63, 0xe9],
    [0x63, 0xc3],
    [0xff, 0xfe, 0x7b, 0x00],
    [0xed, 0xa0, 0x80],
  ]) {
    await expect(read(...bytes)).rejects.toMatchObject({ code: 'encoding_invalid' });
  }
});

it('a compressed body is refused by its Content-Encoding, also if its bytes are UTF-8', async () => {
  const read = (coding: string) =>
    readBody(
      new Request('http://localhost/', {
        method: 'POST',
        body: '{}',
        headers: { 'content-encoding': coding },
      }),
    );
  for (const coding of ['gzip', 'X-Gzip', 'br', 'gzip, identity', 'zstd']) {
    await expect(read(coding)).rejects.toMatchObject({
      code: 'body_encoded',
      message: expect.stringContaining('Content-Encoding'),
    });
  }
  for (const coding of ['identity', '', 'utf-8', 'none', 'identity, identity'])
    expect(await read(coding)).toBe('{}');
});

// Each piece that is kept takes hundreds of bytes of memory, also one of a single byte.
it('the pieces of a body are copied as they come', async () => {
  const bytes = new TextEncoder().encode('a body in pieces of one byte');
  const piece = new Uint8Array(1);
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        piece.set(bytes.subarray(at, at + 1));
        at += 1;
        if (at > bytes.length) controller.close();
        else controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
  expect(await readBody(new Request('http://localhost/', init))).toBe('a body in pieces of one byte');
});

it('a character may be in two pieces of a body', async () => {
  const body = new ReadableStream({
    start: (controller) => {
      for (const byte of new TextEncoder().encode('é😀')) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
  expect(await readBody(new Request('http://localhost/', init))).toBe('é😀');
});
