import { SvcError } from '../../errors.ts';
import { authenticateClient } from '../clients/authenticate.ts';
import { need } from '../parameters.ts';
import { closeSession, revokeUpstream } from '../session-renewal.ts';
import { ACCESS, REFRESH } from '../tokens.ts';
import type { AuthServer, OAuthClient, OAuthRequest, RouteHandler } from '../types.ts';
import { originOf } from '../upstream/provider.ts';

/** `POST /revoke` (RFC 7009): ends the session of a token, also of an expired one. An unknown token is not an error. */
export const revoke: RouteHandler = async (server, oauth) => {
  const form = await oauth.form();
  const client = await authenticateClient(server, oauth, form);
  await revokeToken(server, oauth, client, need(form, 'token'));
  return new Response(null, { status: 200, headers: { 'cache-control': 'no-store' } });
};

async function revokeToken(
  server: AuthServer,
  oauth: OAuthRequest,
  client: OAuthClient,
  token: string,
): Promise<void> {
  const { issuer } = oauth.urls;
  const access = await server.sealer.openUntimed('access', issuer, token, ACCESS);
  const found = access ?? (await server.sealer.openUntimed('refresh', issuer, token, REFRESH));
  if (found === null) return;
  if (found.h !== client.hash) {
    throw new SvcError('client_unauthorized', 'The token was issued to another client.');
  }
  await closeSession(server, found.sid, oauth.signal);
  // Another provider must not get the token.
  if (access?.up === undefined || access.idp !== originOf(server.provider)) return;
  const absent = { refreshToken: null, idToken: null, scopes: null, extra: {} };
  const tokens = { ...absent, accessToken: access.up.t, expiresAt: access.up.e };
  await revokeUpstream(server, tokens, oauth.signal);
}
