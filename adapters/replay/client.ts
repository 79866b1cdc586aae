import { setTimeout } from 'node:timers/promises';
import { busyError, SvcError } from '../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue, tryJson } from '../../src/json.ts';

const REVISION = '2026-07-28';
const TIMEOUT_MS = 60_000;
/** The statuses of a server that accepts no more requests for now, and how often and how long we wait for it. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 503]);
const ATTEMPTS = 3;
const WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** The response of a server to one request. */
export type ReplayAnswer =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string } };

/** Sends one MCP request. */
export type SendRequest = (method: string, params: JsonObject, name?: string) => Promise<ReplayAnswer>;

/**
 * Creates a client without a session. The token is sent to this address only: redirects are errors. A server that accepts
 * no more requests for now is asked again, at the time that it names. Throws `busy` if it stays so.
 */
export function createReplayClient(url: URL, token: string | null): SendRequest {
  return async (method, params, name) => {
    const { status, type, text } = await postPatiently(url, { method, params, name, token });
    if (status === 401 || status === 403) throw refused(url, status, token);
    if (OVERLOADED.has(status)) throw busyError(`${url} accepts no more requests for now (${status})`);
    const message = messageOf(text, type);
    const { result, error } = isObject(message) ? message : {};
    if (isObject(result)) return { result };
    if (isObject(error)) return { error: { code: Number(error.code), message: String(error.message) } };
    throw new SvcError(
      'request_invalid',
      `${url} answered ${method} with status ${status} and no MCP message. Name the address of the MCP endpoint, such as https://example.com/mcp.`,
    );
  };
}

async function postPatiently(url: URL, request: Request): Promise<Received> {
  for (let attempt = 1; ; attempt += 1) {
    const received = await post(url, request);
    if (!OVERLOADED.has(received.status) || attempt === ATTEMPTS) return received;
    await setTimeout(received.retryMs);
  }
}

/** A response that was read to its end. */
interface Received {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** How long to wait before the next attempt (`Retry-After`; RFC 9110, 10.2.3). */
  readonly retryMs: number;
}

interface Request {
  readonly method: string;
  readonly params: JsonObject;
  readonly name: string | undefined;
  readonly token: string | null;
}

async function post(url: URL, { method, params, name, token }: Request): Promise<Received> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        ...(name === undefined ? {} : { 'mcp-name': toHeader(name) }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status, headers } = response;
    const type = headers.get('content-type') ?? '';
    return { status, type, text: await response.text(), retryMs: toWait(headers.get('retry-after')) };
  } catch (cause) {
    throw new SvcError('address_unavailable', `${url} gave no answer: ${reasonOf(cause)}`, { cause });
  }
}

/** The wait in milliseconds; the header has seconds or a date. */
function toWait(header: string | null): number {
  if (header === null) return WAIT_MS;
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? WAIT_MS : Math.min(Math.max(wait, 0), LONGEST_WAIT_MS);
}

/** Encodes a name that is no plain header text (SEP-2243). */
function toHeader(name: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith('=?');
  return plain ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

/** Parses the response. In an event stream the last message is the answer. */
function messageOf(text: string, type: string): JsonValue {
  const data = type.includes('text/event-stream')
    ? (text.split('\n').findLast((line) => line.startsWith('data:')) ?? '').slice(5)
    : text;
  return tryJson(data) ?? null;
}

function refused(url: URL, status: number, token: string | null): SvcError {
  return token === null
    ? new SvcError(
        'token_missing',
        `${url} requires a token (${status}). Set SVC_REPLAY_TOKEN, or name another variable with --token-env.`,
      )
    : new SvcError('token_invalid', `${url} rejects the token (${status}).`);
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}
