import { SvcError } from '../errors.ts';
import { readBytesAtMost, strictUtf8 } from '../limited-text.ts';

/** The default limit of a request body, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** The codings of HTTP that compress. Some clients name others, such as utf-8, and send the body as it is. */
const COMPRESSED = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

/**
 * Reads a body as text. Throws body_encoded for a compressed body, request_too_large before it holds more bytes than the
 * limit in memory, and encoding_invalid for bytes that are not UTF-8 (MCP Transports: "JSON-RPC messages MUST be UTF-8 encoded").
 */
export async function readBody(request: Request, limit: number = MAX_BODY_BYTES): Promise<string> {
  const { headers } = request;
  if (COMPRESSED.test(headers.get('content-encoding') ?? '')) throw compressed();
  const declared = headers.get('content-length') ?? '';
  if (Number(declared) > limit) throw tooLarge(limit);
  // Servers hold a body to its declared length, and `arrayBuffer()` is far cheaper than reading a stream. Some servers let a
  // body in pieces through beside a length, and then the pieces count.
  const bounded = /^\d+$/.test(declared) && !headers.has('transfer-encoding');
  const reading = bounded ? request.arrayBuffer() : readBytesAtMost(request, limit);
  const bytes = await reading.catch((cause) => {
    throw new SvcError('request_invalid', 'The request body could not be read to its end.', { cause });
  });
  if (bytes === null || bytes.byteLength > limit) throw tooLarge(limit);
  try {
    return strictUtf8.decode(bytes);
  } catch (cause) {
    throw new SvcError('encoding_invalid', 'The request body is not valid UTF-8.', { cause });
  }
}

/** We inflate no body: a small one may become larger than any memory. */
function compressed(): SvcError {
  return new SvcError(
    'body_encoded',
    'The request body is compressed, as its Content-Encoding says. Send it as it is, without Content-Encoding.',
  );
}

function tooLarge(limit: number): SvcError {
  return new SvcError('request_too_large', `The request body is larger than ${limit} bytes.`);
}
