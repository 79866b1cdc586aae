import { SvcError } from '../errors.ts';
import type { Parameters } from './parameters.ts';

/** The scopes of a server; flat: none implies another. */
export interface Scopes {
  /** What every caller must hold, all of it. */
  readonly required: readonly string[];
  /** What a client that asks for nothing gets, and a challenge names. */
  readonly basic: readonly string[];
  /** Everything that can be asked for. */
  readonly all: readonly string[];
}

const DEFAULT_SCOPE = 'svc:access';
/** Asked for by clients that want refresh tokens; nothing that could be held. */
const NO_SCOPES: ReadonlySet<string> = new Set(['offline_access']);

/** The scopes that settings and endpoints name. */
export function createScopes(required: readonly string[], others: readonly string[]): Scopes {
  const basic = required.length === 0 ? [DEFAULT_SCOPE] : required;
  return { required, basic, all: [...new Set([DEFAULT_SCOPE, ...required, ...others])] };
}

/** The scopes in a `scope` parameter. */
export function toScopes(text: string | undefined): readonly string[] {
  return [...new Set((text ?? '').split(' ').filter((scope) => scope !== '' && !NO_SCOPES.has(scope)))];
}

/** What a client may have of what it asks for; throws scope_invalid when that is nothing. */
export function grantScopes(
  parameters: Parameters,
  {
    scopes,
    defaultScopes,
  }: { readonly scopes: readonly string[]; readonly defaultScopes: readonly string[] },
): readonly string[] {
  const asked = toScopes(parameters.get('scope'));
  const granted = asked.length === 0 ? defaultScopes : asked.filter((scope) => scopes.includes(scope));
  if (granted.length > 0) return granted;
  throw new SvcError('scope_invalid', 'None of the scopes asked for can be given to this client.');
}
