import { SvcError } from '../errors.ts';
import { toChallenge } from './challenge.ts';
import type { PublicUrls } from './issuer.ts';
import type { Scopes } from './scopes.ts';
import type { Authenticated, AuthRejection } from './types.ts';

/** A token in a request, or why there is none. */
export type FoundToken = { readonly token: string } | AuthRejection;

/** Longer ones are not looked at. */
const MAX_TOKEN = 8_192;

/** The bearer token of a request: in its header, never in its address (MCP Authorization, "Access Token Usage"). */
export function findToken({ headers, url }: Request, urls: PublicUrls, { basic }: Scopes): FoundToken {
  const header = headers.get('authorization');
  if (/[?&]access_token=/.test(url)) {
    const message = 'The token must be in the Authorization header, not in the address.';
    return refuse(new SvcError('request_invalid', message), urls, basic, 'invalid_request');
  }
  const scheme = /^ *bearer(?: |$)/i.test(header ?? '');
  if (!scheme) return refuse(new SvcError('token_missing', 'A bearer token is needed.'), urls, basic);
  const token = /^ *bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1];
  if (token !== undefined && token.length <= MAX_TOKEN) return { token };
  return refuseToken(urls, basic);
}

/** For a token that is not good, whatever the reason. */
export function refuseToken(urls: PublicUrls, scopes: readonly string[]): AuthRejection {
  const error = new SvcError('token_invalid', 'The token is not valid, or it is over.');
  return refuse(error, urls, scopes, 'invalid_token');
}

/** Somebody, if the token holds all of the scopes that everybody needs. */
export function enforceRequired(
  found: Authenticated,
  urls: PublicUrls,
  { required }: Scopes,
): Authenticated | AuthRejection {
  if (required.every((scope) => found.scopes.includes(scope))) return found;
  const error = new SvcError('scope_insufficient', `The token must hold all of: ${required.join(' ')}.`);
  return refuse(error, urls, needAll(found.scopes, required), 'insufficient_scope');
}

/** What a client asks for next: what it holds, or it would lose that, and what is needed. */
export function needAll(held: readonly string[], needed: readonly string[]): readonly string[] {
  return [...new Set([...needed, ...held])];
}

function refuse(
  error: SvcError,
  urls: PublicUrls,
  scopes: readonly string[],
  code?: 'invalid_request' | 'invalid_token' | 'insufficient_scope',
): AuthRejection {
  const told = code === undefined ? {} : { error: code, description: error.message };
  return { error, challenge: toChallenge(urls, { scopes, ...told }) };
}
