import { type ErrorCode, SvcError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';

/** Who is asked and for what, in the words of the message. */
export interface ProviderStep {
  /** The provider's name as people know it. */
  readonly provider: string;
  /** What is asked for, such as `the token`. */
  readonly what: string;
}

interface More {
  readonly cause?: unknown;
  readonly detail?: JsonObject;
}

/** Final for this login. */
export function refused(
  { provider }: Pick<ProviderStep, 'provider'>,
  text: string,
  more: More = {},
): SvcError {
  return failure('login_refused', `${provider} ${text}`, provider, more);
}

/** Worth another try. */
export function unavailable({ provider, what }: ProviderStep, text: string, more: More = {}): SvcError {
  return failure('login_unavailable', `${provider} ${text} when asked for ${what}.`, provider, more);
}

/** The operator's to fix. */
export function misconfigured(
  { provider }: Pick<ProviderStep, 'provider'>,
  text: string,
  more: More = {},
): SvcError {
  return failure('config_invalid', `${provider} ${text}`, provider, more);
}

function failure(code: ErrorCode, message: string, provider: string, { cause, detail }: More): SvcError {
  return new SvcError(code, message, { cause, detail: { ...detail, provider } });
}
