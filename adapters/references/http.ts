import { tryJson } from '../../src/json.ts';
import { unresolved } from './unresolved.ts';

/** A reply of a secret manager: its status, and its body when that is JSON. */
export interface SecretResponse {
  readonly status: number;
  readonly body: unknown;
}

/** A question to a secret manager. */
export interface SecretRequest {
  /** As people call it. */
  readonly name: string;
  readonly base: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 1_048_576;

/** Asks over HTTP; no redirect is followed, because it would carry the token to somebody else. */
export async function requestSecret(question: SecretRequest): Promise<SecretResponse> {
  const { name, base, path, headers, signal } = question;
  const url = `${base.replace(/\/+$/, '')}${path}`;
  let response: Response;
  try {
    response = await fetch(url, { headers, signal, redirect: 'manual' });
  } catch (thrown) {
    throw unresolved(`is with ${name}, which cannot be reached${reasonOf(thrown)}.`, 'Check its address.');
  }
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw unresolved(
      `is with ${name}, which sends elsewhere (${response.status}).`,
      'Give the address it sends to as its address.',
    );
  }
  return { status: response.status, body: tryJson(await readText(response, name)) };
}

/** The error's own text may quote the address, and that may hold a password; its code may not. */
function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : null;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? ` (${code})` : '';
}

async function readText(response: Response, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    throw unresolved(`is with ${name}, whose answer broke off.`, 'Try again, or look at its log.');
  }
  return new TextDecoder().decode(await new Blob(chunks as BlobPart[]).arrayBuffer());
}
