import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A content coding of HTTP. */
export type Encoding = 'br' | 'gzip';

/**
 * Smaller bodies are not compressed: the processor would spend more time than the network saves
 * (docs/reference/limits.md).
 */
export const LEAST_BYTES = 16 * 1024;

const LEVEL = 4;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } };

/**
 * Chooses the encoding of a body by the client's `Accept-Encoding`; null if the body is small or the client
 * accepts neither br nor gzip.
 */
export function encodingFor(accept: string | undefined, bytes: number): Encoding | null {
  if (bytes < LEAST_BYTES || accept === undefined) return null;
  const names = accept.split(',').flatMap((entry) => {
    const [name = '', ...parameters] = entry.toLowerCase().split(';');
    return parameters.some((parameter) => /^\s*q=0(\.0*)?\s*$/.test(parameter)) ? [] : [name.trim()];
  });
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : null;
}

/** Compresses a text on Node's thread pool. */
export async function compress(text: string, encoding: Encoding): Promise<Buffer> {
  const bytes = Buffer.from(text);
  return encoding === 'br'
    ? promisify(brotliCompress)(bytes, BROTLI)
    : promisify(gzip)(bytes, { level: LEVEL });
}
