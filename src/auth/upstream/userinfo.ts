import type { SvcError } from '../../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json.ts';
import { misconfigured, type ProviderStep, refused, retryAfter, unavailable } from './errors.ts';
import type { ProviderResponse, SendToProvider } from './request.ts';

/** A request with a user's access token. */
interface ReadUserinfo extends ProviderStep {
  readonly url: string;
  readonly accessToken: string;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Reads JSON with an access token. Throws SvcError for any other response. */
export async function readJson(
  ask: SendToProvider,
  { accessToken, headers, ...question }: ReadUserinfo,
): Promise<JsonValue> {
  const authorization = `Bearer ${accessToken}`;
  const answer = await ask({ ...question, headers: { ...headers, authorization } });
  if (answer.status >= 300) throw toReadFailure(answer, question);
  if (answer.body !== undefined) return answer.body;
  throw unavailable(question, 'sent a response that is not JSON');
}

/** Reads a JSON object with an access token. Throws SvcError for any other response. */
export async function readObject(ask: SendToProvider, question: ReadUserinfo): Promise<JsonObject> {
  const body = await readJson(ask, question);
  if (isObject(body)) return body;
  throw unavailable(question, 'sent a response that is not a JSON object');
}

/** Converts an error response: login_refused, config_invalid for a wrong address, or login_unavailable. */
export function toReadFailure({ status, headers }: ProviderResponse, step: ProviderStep): SvcError {
  const detail: JsonObject = { status, ...retryAfter(headers) };
  const limited = status === 403 && (headers.get('x-ratelimit-remaining') === '0' || 'retry_after' in detail);
  if (limited || status === 429 || status >= 500) {
    return unavailable(step, `is not available (${status})`, { detail });
  }
  if (status === 404 || status === 405 || status === 410) {
    return misconfigured(
      step,
      `has nothing at the address for ${step.what} (${status}). Check the addresses.`,
      {
        detail,
      },
    );
  }
  return refused(step, `refused to show ${step.what} (${status}). Log in again, or request more scopes.`, {
    detail,
  });
}
