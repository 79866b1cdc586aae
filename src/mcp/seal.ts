import type { JsonValue } from '../json.ts';

/** Makes texts that only their maker can read or change; `purpose` keeps those of one use out of another. */
export interface Sealer {
  seal(value: JsonValue, purpose: string): Promise<string>;
  /** Null for a text that this sealer did not make for the purpose. */
  open(text: string, purpose: string): Promise<JsonValue | null>;
}

const IV_BYTES = 12;

const encoder = new TextEncoder();

/** Seals with AES-256-GCM; without a key of 32 bytes, with one of its own that is kept nowhere. */
export function createSealer(secret?: Uint8Array<ArrayBuffer>): Sealer {
  let imported: Promise<CryptoKey> | null = null;
  // Made on first use: a Worker has no random numbers while it starts.
  const key = () => {
    imported ??= crypto.subtle.importKey(
      'raw',
      secret ?? crypto.getRandomValues(new Uint8Array(32)),
      'AES-GCM',
      false,
      ['encrypt', 'decrypt'],
    );
    return imported;
  };
  return {
    async seal(value, purpose) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const plain = encoder.encode(JSON.stringify(value));
      const sealed = new Uint8Array(
        await crypto.subtle.encrypt(toAlgorithm(iv, purpose), await key(), plain),
      );
      return toBase64Url(new Uint8Array([...iv, ...sealed]));
    },
    async open(text, purpose) {
      const bytes = fromBase64Url(text);
      if (bytes === null || bytes.length <= IV_BYTES) return null;
      const [iv, sealed] = [bytes.slice(0, IV_BYTES), bytes.slice(IV_BYTES)];
      try {
        const plain = await crypto.subtle.decrypt(toAlgorithm(iv, purpose), await key(), sealed);
        return JSON.parse(new TextDecoder().decode(plain));
      } catch {
        return null;
      }
    },
  };
}

function toAlgorithm(iv: Uint8Array<ArrayBuffer>, purpose: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: encoder.encode(purpose) };
}

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]+$/.test(text)) return null;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
