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
