/** Bytes as lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes as base64 with padding (RFC 4648, 4). */
export function toBase64(bytes: Uint8Array): string {
  const slices: string[] = [];
  // A call takes a limited number of arguments, so the bytes go in slices.
  for (let start = 0; start < bytes.length; start += 8192) {
    slices.push(String.fromCharCode(...bytes.subarray(start, start + 8192)));
  }
  return btoa(slices.join(''));
}

/** Bytes as base64url without padding (RFC 4648, 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * The bytes of a base64url text without padding; null for any other text. Ignores unused bits of the last
 * character.
 */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return null;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Whether a text is base64url whose unused last bits are zero, so that its bytes have no other spelling. */
export function isCanonicalBase64Url(text: string): boolean {
  const rest = text.length % 4;
  if (rest === 1 || !/^[\w-]*$/.test(text)) return false;
  const unused = rest === 2 ? 15 : rest === 3 ? 3 : 0;
  return (ALPHABET.indexOf(text.at(-1) ?? 'A') & unused) === 0;
}
