import { toBase64 } from '../../crypto/encoding.ts';
import { SvcError } from '../../errors.ts';
import { isObject, type JsonObject, type JsonValue, tryJson } from '../../json.ts';
import { readAtMost } from '../../limited-text.ts';
import { misconfigured, type ProviderStep, refused, retryAfter, unavailable } from './errors.ts';
import type { ProviderPorts } from './provider.ts';

/** A request to a provider. */
export interface ProviderRequest extends ProviderStep {
  readonly url: URL | string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** A provider's response. The body is undefined if it is not JSON. */
export interface ProviderResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonValue | undefined;
}

/** Sends a request to a provider, with limits of time and size. */
export type SendToProvider = (request: ProviderRequest) => Promise<ProviderResponse>;

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_048_576;

/**
 * Creates the HTTP client of a provider. A request has a deadline, reads at most 1 MiB and follows no redirect, because
 * a redirect could carry a secret to another server.
 */
export function createSend({ fetch: send, timeoutMs = TIMEOUT_MS }: ProviderPorts): SendToProvider {
  return async (question) => {
    const signal = AbortSignal.any([question.signal, AbortSignal.timeout(timeoutMs)]);
    const { url, method = 'GET', body } = question;
    const headers = { accept: 'application/json', 'user-agent': 'svc-kit', ...question.headers };
    try {
      const response = await send(String(url), {
        method,
        headers,
        signal,
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
      });
      await enforceDirect(response, question);
      return { status: response.status, headers: response.headers, body: await readBody(response, question) };
    } catch (thrown) {
      throw thrown instanceof SvcError ? thrown : toFailure(thrown, question);
    }
  };
}

async function enforceDirect(response: Response, question: ProviderRequest): Promise<void> {
  if (response.status < 300 || response.status >= 400) return;
  await response.body?.cancel();
  throw misconfigured(
    question,
    `redirects (${response.status}) when asked for ${question.what}. Set the address that it redirects to.`,
    { detail: { status: response.status } },
  );
}

/** Reports only the code of a network error, because its text may quote the address and secrets in it. */
function toFailure(thrown: unknown, question: ProviderRequest): SvcError {
  if (question.signal.aborted && nameOf(question.signal.reason) !== 'TimeoutError') {
    return new SvcError('cancelled', `The request to ${question.provider} was cancelled.`);
  }
  if (nameOf(thrown) === 'TimeoutError') return unavailable(question, 'took too long');
  const cause = thrown instanceof Error ? thrown.cause : null;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  const reason = typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : '';
  return unavailable(question, `could not be reached${reason}`);
}

function nameOf(thrown: unknown): string | null {
  return typeof thrown === 'object' && thrown !== null && 'name' in thrown ? String(thrown.name) : null;
}

async function readBody(response: Response, question: ProviderRequest): Promise<JsonValue | undefined> {
  const text = await readAtMost(response, MAX_BYTES);
  if (text === null) throw unavailable(question, `sent more than ${MAX_BYTES} bytes`);
  const type = response.headers.get('content-type') ?? '';
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return undefined;
  return tryJson(text);
}

/** The `Authorization` header of a client; both parts are form-encoded first (RFC 6749, 2.3.1). */
export function basicAuthorization(id: string, secret: string): string {
  const bytes = new TextEncoder().encode(`${formEncode(id)}:${formEncode(secret)}`);
  return `Basic ${toBase64(bytes)}`;
}

function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** A request with a user's access token. */
interface AuthorizedRequest extends ProviderStep {
  readonly url: string;
  readonly accessToken: string;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Reads JSON with an access token. Throws SvcError for any other response. */
export async function readJson(
  ask: SendToProvider,
  { accessToken, headers, ...question }: AuthorizedRequest,
): Promise<JsonValue> {
  const authorization = `Bearer ${accessToken}`;
  const answer = await ask({ ...question, headers: { ...headers, authorization } });
  if (answer.status >= 300) throw toReadFailure(answer, question);
  if (answer.body !== undefined) return answer.body;
  throw unavailable(question, 'sent a response that is not JSON');
}

/** Reads a JSON object with an access token. Throws SvcError for any other response. */
export async function readObject(ask: SendToProvider, question: AuthorizedRequest): Promise<JsonObject> {
  const body = await readJson(ask, question);
  if (isObject(body)) return body;
  throw unavailable(question, 'sent a response that is not a JSON object');
}

/**
 * Converts an error response about a user: login_refused, config_invalid for a wrong address, or login_unavailable. A proxy or a
 * firewall answers 403 too, but neither in JSON nor with a challenge.
 */
export function toReadFailure(answer: ProviderResponse, step: ProviderStep): SvcError {
  const { status, headers, body } = answer;
  const challenged = /^bearer\b/i.test(headers.get('www-authenticate') ?? '');
  const forbidden = status === 403 && (body !== undefined || challenged) && !isLimited(answer);
  if (status !== 401 && !forbidden) return toAnswerFailure(answer, step);
  const text = `refused to show ${step.what} (${status}). Log in again, or request more scopes.`;
  return refused(step, text, { detail: { status } });
}

/** Converts an error response that says nothing about a user: config_invalid for a wrong address, or login_unavailable. */
export function toAnswerFailure({ status, headers }: ProviderResponse, step: ProviderStep): SvcError {
  const detail: JsonObject = { status, ...retryAfter(headers) };
  if (status === 404 || status === 405 || status === 410) {
    const text = `has nothing at the address for ${step.what} (${status}). Check the addresses.`;
    return misconfigured(step, text, { detail });
  }
  return unavailable(step, `is not available (${status})`, { detail });
}

/** Whether a response of 403 means too many requests, as GitHub, Google and Salesforce answer them. */
function isLimited({ headers, body }: ProviderResponse): boolean {
  if (headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after')) return true;
  return /(rate|request)s?[ _-]?limit|quota|abuse detection/i.test(JSON.stringify(body ?? null));
}

/** Whether a status tells the client to try again. */
export function isTemporary(status: number): boolean {
  return [408, 425, 429].includes(status) || status >= 500;
}
