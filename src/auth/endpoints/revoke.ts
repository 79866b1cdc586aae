import { SvcError } from '../../errors.ts';
import { fromUpstream } from '../claims.ts';
import { proveClient } from '../clients/authenticate.ts';
import type { OAuthClient } from '../clients/model.ts';
import { need } from '../parameters.ts';
import { revokeUpstream } from '../session-renewal.ts';
import { endSession, readSession } from '../sessions.ts';
import { ACCESS, REFRESH } from '../tokens.ts';
import type { AuthServer, OAuthRequest, RouteHandler } from '../types.ts';

/** `POST /revoke` (RFC 7009): ends the session of a token; one that is no token of ours is no error. */
export const revoke: RouteHandler = async (server, exchange) => {
  const form = await exchange.form();
  const client = await proveClient(server, exchange, form);
  await revokeToken(server, exchange, client, need(form, 'token'));
  return new Response(null, { status: 200, headers: { 'cache-control': 'no-store' } });
};

async function revokeToken(
  server: AuthServer,
  exchange: OAuthRequest,
  client: OAuthClient,
  token: string,
): Promise<void> {
  const { issuer } = exchange.urls;
  const access = await server.sealer.open('access', issuer, token, ACCESS);
  const found = access ?? (await server.sealer.open('refresh', issuer, token, REFRESH));
  if (found === null) return;
  if (found.h !== client.hash) {
    throw new SvcError('client_unauthorized', 'The token was given to another client.');
  }
  await closeSession(server, found.sid, exchange.signal);
  if (access?.up === undefined) return;
  const nothing = { refreshToken: null, idToken: null, scopes: null, extra: {} };
  const tokens = { ...nothing, accessToken: access.up.t, expiresAt: access.up.e };
  await revokeUpstream(server, tokens, exchange.signal);
}

/** Ends a session here, and at the provider. */
export async function closeSession(server: AuthServer, sid: string, signal: AbortSignal): Promise<void> {
  const kept = await readSession(server, sid);
  if (kept === null) return;
  await endSession(server, sid);
  await revokeUpstream(server, fromUpstream(kept.session.up), signal);
}
