import { type ErrorCode, SvcError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';

/** One request to a provider, in the words of an error message. */
export interface ProviderStep {
  /** The provider's display name. */
  readonly provider: string;
  /** The requested thing, such as `the token`. */
  readonly what: string;
}

interface ErrorDetails {
  readonly cause?: unknown;
  readonly detail?: JsonObject;
}

/**
 * A refusal that ends this login.
 *
 * @example refused({ provider: 'GitHub' }, 'sent no id token. Log in again.')
 */
export function refused(
  { provider }: Pick<ProviderStep, 'provider'>,
  text: string,
  more: ErrorDetails = {},
): SvcError {
  return failure('login_refused', `${provider} ${text}`, provider, more);
}

/** A failure that another try may overcome. */
export function unavailable(
  { provider, what }: ProviderStep,
  text: string,
  more: ErrorDetails = {},
): SvcError {
  return failure('login_unavailable', `${provider} ${text} when asked for ${what}.`, provider, more);
}

/** A failure that the operator has to fix. */
export function misconfigured(
  { provider }: Pick<ProviderStep, 'provider'>,
  text: string,
  more: ErrorDetails = {},
): SvcError {
  return failure('config_invalid', `${provider} ${text}`, provider, more);
}

function failure(
  code: ErrorCode,
  message: string,
  provider: string,
  { cause, detail }: ErrorDetails,
): SvcError {
  return new SvcError(code, message, { cause, detail: { ...detail, provider } });
}

/** The seconds after which a server asks to be tried again, for the detail of an error. */
export function retryAfter(headers: Headers): JsonObject {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(seconds) ? { retry_after: Number(seconds) } : {};
}
