import type * as v from 'valibot';
import { sha256Base64Url } from '../../crypto/digest.ts';
import { SvcError } from '../../errors.ts';
import {
  CODE,
  type CompletedLogin,
  claimCode,
  completeLogin,
  isSpoilt,
  spoilCode,
  takeLogin,
} from '../completed-login.ts';
import { need, type Parameters } from '../parameters.ts';
import { enforceTarget } from '../resource-indicator.ts';
import { endSession } from '../sessions.ts';
import { issueTokens, type TokenResponse } from '../tokens.ts';
import type { AuthServer, OAuthClient, OAuthRequest } from '../types.ts';

/**
 * `grant_type=authorization_code`. All our own checks come before the request to the provider, so that a thief cannot
 * use up the code.
 */
export async function redeemCode(
  server: AuthServer,
  oauth: OAuthRequest,
  client: OAuthClient,
  form: Parameters,
): Promise<TokenResponse> {
  const { urls } = oauth;
  const code = await server.sealer.open('code', urls.issuer, need(form, 'code'), CODE);
  if (code === null) throw invalid('This server did not issue the code, or it has expired.');
  if (code.h !== client.hash) throw invalid('The code was issued to another client.');
  // Clients of OAuth 2.1 do not send it, because the verifier already ties the code to the client's request.
  if ((form.get('redirect_uri') ?? code.r) !== code.r)
    throw invalid('The redirect_uri is not the one of the authorization request.');
  const verifier = need(form, 'code_verifier');
  const matches = /^[\w.~-]{43,128}$/.test(verifier) && (await sha256Base64Url(verifier)) === code.k;
  if (!matches) throw invalid('The code_verifier does not match.');
  enforceTarget(form, urls);
  await enforceUnused(server, code.id);
  const login = await loginOf(server, code, oauth);
  const signIn = { client, sid: code.id, ...login };
  const answer = await issueTokens(server, oauth, signIn);
  await enforceUsedOnce(server, code.id);
  return answer;
}

/** Reads the login from the store, or redeems the provider's code. */
async function loginOf(
  server: AuthServer,
  { up, sc: scopes, id }: v.InferOutput<typeof CODE>,
  { urls, signal }: OAuthRequest,
): Promise<CompletedLogin> {
  if (up !== null) {
    const { c: code, v: verifier, n: nonce } = up;
    return completeLogin(server, { code, verifier, nonce, scopes, redirectUri: urls.callback }, signal);
  }
  const login = await takeLogin(server, id);
  if (login === null) throw invalid('The login has expired.');
  return login;
}

/** Throws grant_invalid for a used code, and ends the session that the other use opens. */
async function enforceUnused(server: AuthServer, id: string): Promise<void> {
  if (await claimCode(server, id)) return;
  await spoilCode(server, id);
  throw await endUsed(server, id);
}

/** Throws grant_invalid if the code was used again, or the browser signed out, while this use went on. */
async function enforceUsedOnce(server: AuthServer, id: string): Promise<void> {
  if (await isSpoilt(server, id)) throw await endUsed(server, id);
}

async function endUsed(server: AuthServer, id: string): Promise<SvcError> {
  await endSession(server, id);
  server.log({ level: 'warn', message: 'a code was used twice, or after a sign-out; its session is ended' });
  return invalid('The code has been used, or its browser has signed out.');
}

function invalid(message: string): SvcError {
  return new SvcError('grant_invalid', message);
}
