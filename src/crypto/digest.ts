import { toBase64Url, toHex } from './encoding.ts';

/** The SHA-256 of a text in UTF-8, as bytes. */
export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

/** The SHA-256 of a text in UTF-8, in hex. */
export async function sha256Hex(text: string): Promise<string> {
  return toHex(await sha256(text));
}

/** The SHA-256 of a text in UTF-8, in base64url. */
export async function sha256Base64Url(text: string): Promise<string> {
  return toBase64Url(await sha256(text));
}

/** A SHA-256 that a person wrote in hex, as `sha256Base64Url` writes it; null for any other text. */
export function digestFromHex(text: string): string | null {
  if (!/^[\da-f]{64}$/i.test(text)) return null;
  const bytes = text.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
  return toBase64Url(new Uint8Array(bytes));
}

/** Random bytes as base64url: 16 bytes are 22 characters, 32 bytes are 43. */
export function randomText(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Whether two secrets are equal, compared in constant time. */
export async function isSameSecret(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([sha256(one), sha256(other)]);
  return a.reduce((difference, byte, index) => difference | (byte ^ (b[index] ?? 0)), 0) === 0;
}

/** The CRC-32 (ISO 3309) of a text in ASCII: 6 characters of base64url. It finds typing errors and tells names apart, and protects nothing. */
export function checksumOf(text: string): string {
  let crc = 0xff_ff_ff_ff;
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0);
  }
  const bytes = new DataView(new ArrayBuffer(4));
  bytes.setUint32(0, ~crc >>> 0);
  return toBase64Url(new Uint8Array(bytes.buffer));
}
