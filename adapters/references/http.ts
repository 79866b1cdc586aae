import { tryJson } from '../../src/json.ts';
import { unresolved } from './unresolved.ts';

/** The response of a secret manager: its status, and its body if that is JSON, else null. */
export interface SecretResponse {
  readonly status: number;
  readonly body: unknown;
}

/** A request to a secret manager. */
export interface SecretRequest {
  /** The product's name, for errors. */
  readonly name: string;
  readonly base: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 1_048_576;

/**
 * Sends a request over HTTP. Redirects are not followed, because they would carry the token to another server.
 * Throws `reference_unresolved` if there is no complete response.
 */
export async function requestSecret(question: SecretRequest): Promise<SecretResponse> {
  const { name, base, path, headers, signal } = question;
  const url = `${base.replace(/\/+$/, '')}${path}`;
  let response: Response;
  try {
    response = await fetch(url, { headers, signal, redirect: 'manual' });
  } catch (thrown) {
    throw unresolved(`needs ${name}, which cannot be reached${reasonOf(thrown)}.`, 'Check its address.');
  }
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw unresolved(
      `needs ${name}, which redirects to another address (${response.status}).`,
      'Configure the address that it redirects to.',
    );
  }
  return { status: response.status, body: tryJson(await readText(response, name)) };
}

/** Returns the code of an error. Its text may quote the address, which may contain a password. */
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
    throw unresolved(`needs ${name}, whose response broke off.`, 'Try again, or look at its log.');
  }
  return new TextDecoder().decode(await new Blob(chunks as BlobPart[]).arrayBuffer());
}
