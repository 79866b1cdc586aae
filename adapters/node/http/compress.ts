import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** How a body travels. */
export type Encoding = 'br' | 'gzip';

/** Below this, what the network saves is less than what the processor spends (docs/reference/limits.md). */
export const LEAST_BYTES = 16 * 1024;

const LEVEL = 4;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: LEVEL } };

/** The form that a client takes a body in; null: as it is, because it is small or the client asks for no other. */
export function encodingFor(accept: string | undefined, bytes: number): Encoding | null {
  if (bytes < LEAST_BYTES || accept === undefined) return null;
  const names = accept.split(',').flatMap((entry) => {
    const [name = '', ...parameters] = entry.toLowerCase().split(';');
    return parameters.some((parameter) => /^\s*q=0(\.0*)?\s*$/.test(parameter)) ? [] : [name.trim()];
  });
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : null;
}

/** A body in that form; made beside the event loop. */
export async function compress(text: string, encoding: Encoding): Promise<Buffer> {
  const bytes = Buffer.from(text);
  return encoding === 'br'
    ? promisify(brotliCompress)(bytes, BROTLI)
    : promisify(gzip)(bytes, { level: LEVEL });
}
