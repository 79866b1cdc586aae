import type { SvcError } from '../../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json.ts';
import { misconfigured, type ProviderStep, refused, unavailable } from './errors.ts';
import type { ProviderResponse, SendToProvider } from './request.ts';
import { retryAfter } from './token-errors.ts';

/** A question that somebody's access token opens. */
export interface ReadUserinfo extends ProviderStep {
  readonly url: string;
  readonly accessToken: string;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Reads something with an access token; what is not 2xx with JSON is a failure. */
export async function read(
  ask: SendToProvider,
  { accessToken, headers, ...question }: ReadUserinfo,
): Promise<JsonValue> {
  const authorization = `Bearer ${accessToken}`;
  const answer = await ask({ ...question, headers: { ...headers, authorization } });
  if (answer.status >= 300) throw toReadFailure(answer, question);
  if (answer.body !== undefined) return answer.body;
  throw unavailable(question, 'sent something that is not JSON');
}

/** The same, for what must be an object. */
export async function readObject(ask: SendToProvider, question: ReadUserinfo): Promise<JsonObject> {
  const body = await read(ask, question);
  if (isObject(body)) return body;
  throw unavailable(question, 'sent something that is no JSON object');
}

/** What a refused question means: the token's fault, the address's, or the provider's. */
export function toReadFailure({ status, headers }: ProviderResponse, step: ProviderStep): SvcError {
  const detail: JsonObject = { status, ...retryAfter(headers) };
  const limited = status === 403 && (headers.get('x-ratelimit-remaining') === '0' || 'retry_after' in detail);
  if (limited || status === 429 || status >= 500) {
    return unavailable(step, `is not available (${status})`, { detail });
  }
  if (status === 404 || status === 405 || status === 410) {
    return misconfigured(step, `has nothing where ${step.what} should be (${status}). Check the addresses.`, {
      detail,
    });
  }
  return refused(step, `refused to show ${step.what} (${status}). Log in again, or ask for more in scope.`, {
    detail,
  });
}
