import { base64url } from 'jose';

const encoder = new TextEncoder();

/** SHA-256 of a text, as base64url. */
export async function sha256(text: string): Promise<string> {
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text))));
}

/** SHA-256 of a text in hex, as people write it down. */
export async function sha256Hex(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Random bytes as base64url: 16 make 22 characters, 32 make 43. */
export function randomText(bytes: 16 | 32): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Whether two secrets are the same, in a time that does not tell where they differ. */
export async function isSameSecret(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([sha256(one), sha256(other)]);
  let difference = 0;
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}
