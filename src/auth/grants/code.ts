import { sha256Base64Url } from '../../crypto/digest.ts';
import { SvcError } from '../../errors.ts';
import type { OAuthClient } from '../clients/model.ts';
import { CODE } from '../endpoints/callback.ts';
import { need, type Parameters } from '../parameters.ts';
import { enforceTarget } from '../resource-indicator.ts';
import { endSession } from '../sessions.ts';
import { issueTokens, type TokenResponse } from '../tokens.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';

/** Longer than a code counts. */
const USED_SECONDS = 120;

/** `grant_type=authorization_code`: everything of our own is checked before the provider hears of it, so a thief cannot burn the code. */
export async function redeemCode(
  server: AuthServer,
  exchange: OAuthRequest,
  client: OAuthClient,
  form: Parameters,
): Promise<TokenResponse> {
  const { urls, signal } = exchange;
  const code = await server.sealer.open('code', urls.issuer, need(form, 'code'), CODE);
  if (code === null) throw invalid('The code is not one of this server, or it is over.');
  if (code.h !== client.hash) throw invalid('The code was given to another client.');
  if (form.get('redirect_uri') !== code.r) throw invalid('The redirect_uri is not that of the code.');
  const verifier = need(form, 'code_verifier');
  const sound = /^[\w.~-]{43,128}$/.test(verifier) && (await sha256Base64Url(verifier)) === code.k;
  if (!sound) throw invalid('The code_verifier does not match.');
  enforceTarget(form, urls);
  await enforceUnused(server, code.id);
  const trip = { verifier: code.uv, nonce: code.un, redirectUri: urls.callback };
  const tokens = await server.provider.exchange(code.uc, trip, signal);
  const identity = await server.provider.identify(tokens, code.un, signal);
  const signIn = { client, scopes: code.sc, sid: code.id, identity, tokens };
  const answer = await issueTokens(server, exchange, signIn);
  await enforceUsedOnce(server, code.id);
  return answer;
}

/** What a claim holds once somebody came with the same code again. */
const TWICE = 'twice';

const claimOf = (id: string) => `code:${id}`;

/** Without a store it is the provider that takes a code once only. */
async function enforceUnused(server: AuthServer, id: string): Promise<void> {
  const { store } = server;
  if (store === null || (await store.claimOnce(claimOf(id), USED_SECONDS))) return;
  // The session may not be there yet: its first use waits for the provider.
  await store.put(claimOf(id), TWICE, { seconds: USED_SECONDS });
  throw await endUsed(server, id);
}

async function enforceUsedOnce(server: AuthServer, id: string): Promise<void> {
  const claim = await server.store?.get(claimOf(id));
  if (claim?.value === TWICE) throw await endUsed(server, id);
}

async function endUsed(server: AuthServer, id: string): Promise<SvcError> {
  await endSession(server, id);
  server.log({ level: 'warn', message: 'a code was used twice; the session that it opened is ended' });
  return invalid('The code has been used.');
}

function invalid(message: string): SvcError {
  return new SvcError('grant_invalid', message);
}
