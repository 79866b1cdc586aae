import { SvcError } from '../errors.ts';
import { readAtMost } from '../limited-text.ts';

/** The default limit of a request body, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Reads a body as text. Throws request_too_large before it holds more bytes than the limit in memory. */
export async function readBody(request: Request, limit: number = MAX_BODY_BYTES): Promise<string> {
  const { headers } = request;
  const declared = headers.get('content-length') ?? '';
  if (Number(declared) > limit) throw tooLarge(limit);
  // Servers hold a body to its declared length, and `text()` is far cheaper than reading a stream. Some servers let a
  // body in pieces through beside a length, and then the pieces count.
  const bounded = /^\d+$/.test(declared) && !headers.has('transfer-encoding');
  const reading = bounded ? request.text() : readAtMost(request, limit);
  const text = await reading.catch((cause) => {
    throw new SvcError('request_invalid', 'The request body could not be read to its end.', { cause });
  });
  if (text === null || text.length > limit) throw tooLarge(limit);
  return text;
}

function tooLarge(limit: number): SvcError {
  return new SvcError('request_too_large', `The request body is larger than ${limit} bytes.`);
}
