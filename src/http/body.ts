import { SvcError } from '../errors.ts';

/** The largest request body that is read, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** A request's body as text; throws request_too_large before more than the limit is held in memory. */
export async function readBody(request: Request, limit: number = MAX_BODY_BYTES): Promise<string> {
  const text = await read(request, limit).catch((cause) => {
    throw new SvcError('request_invalid', 'The request body could not be read to its end.', { cause });
  });
  if (text === null || text.length > limit) {
    throw new SvcError('request_too_large', `The request body is larger than ${limit} bytes.`);
  }
  return text;
}

async function read(request: Request, limit: number): Promise<string | null> {
  const declared = request.headers.get('content-length');
  if (declared === null) return readStream(request, limit);
  // Servers hold a body to its declared length, and reading it whole is far cheaper than as a stream.
  return Number(declared) > limit ? null : request.text();
}

async function readStream({ body }: Request, limit: number): Promise<string | null> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let received = 0;
  for await (const chunk of body) {
    received += chunk.byteLength;
    if (received > limit) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
