import { base64url } from 'jose';

const encoder = new TextEncoder();

/** SHA-256 of a text, as base64url. */
export async function sha256(text: string): Promise<string> {
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text))));
}

/** A SHA-256 in hex, as people write it down, in the form of `sha256`; null for what is none. */
export function fromHex(text: string): string | null {
  if (!/^[\da-f]{64}$/i.test(text)) return null;
  const bytes = text.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
  return base64url.encode(new Uint8Array(bytes));
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
