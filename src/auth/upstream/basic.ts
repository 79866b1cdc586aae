import { toBase64 } from '../../crypto/encoding.ts';

/** HTTP Basic credentials of a client, form-encoded first as RFC 6749, 2.3.1 wants. */
export function basic(id: string, secret: string): string {
  const bytes = new TextEncoder().encode(`${encode(id)}:${encode(secret)}`);
  return `Basic ${toBase64(bytes)}`;
}

function encode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
