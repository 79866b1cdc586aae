import { SvcError } from '../../errors.ts';
import { fromClaims } from '../claims.ts';
import { enforceEntitled, labelOf } from '../held-scopes.ts';
import { need, type Parameters } from '../parameters.ts';
import { enforceTarget } from '../resource-indicator.ts';
import { grantScopes, narrowScopes, toScopes } from '../scopes.ts';
import { freshen } from '../session-renewal.ts';
import { endSession, type LoginSession, readSession, type StoredSession, writeSession } from '../sessions.ts';
import { issueForSession, REFRESH, sealRefresh, type TokenResponse } from '../tokens.ts';
import type { AuthServer, OAuthClient, OAuthRequest } from '../types.ts';

/** Milliseconds for which a repeated refresh token gets the same successor: clients use one in several processes. */
const AGAIN_MS = 60_000;

/** `grant_type=refresh_token`: each use rotates the token, and a later reuse ends the session (OAuth 2.1, 4.3.1). */
export async function refreshTokens(
  server: AuthServer,
  oauth: OAuthRequest,
  client: OAuthClient,
  form: Parameters,
): Promise<TokenResponse> {
  const { urls } = oauth;
  const token = await server.sealer.open('refresh', urls.issuer, need(form, 'refresh_token'), REFRESH);
  if (token === null || token.h !== client.hash) throw expired();
  enforceTarget(form, urls);
  const { sid, g } = token;
  for (;;) {
    const stored = await current(server, { sid, g }, client);
    const scopes = narrow(server, { client, session: stored.session }, form);
    if (isRepeated(server, stored.session, g))
      return issueForSession(server, oauth, { sid, session: stored.session, scopes });
    if (stored.session.g !== g) return endReused(server, sid);
    const rt = await sealRefresh(server, oauth, { sid, g: g + 1, h: client.hash });
    const session = { ...stored.session, g: g + 1, at: server.now(), rt };
    // The loser of a race reads again and finds the winner's successor.
    if (await writeSession(server, sid, session, stored.version)) {
      return issueForSession(server, oauth, { sid, session, scopes });
    }
  }
}

async function current(
  server: AuthServer,
  { sid, g }: { readonly sid: string; readonly g: number },
  client: OAuthClient,
): Promise<StoredSession> {
  const stored = await readSession(server, sid);
  if (stored === null || stored.session.h !== client.hash) throw expired();
  if (stored.session.end <= server.now() / 1000) throw expired();
  const fresh = await freshen(server, sid, stored, g);
  if (fresh === null) throw expired();
  return fresh;
}

function isRepeated({ now }: AuthServer, { g: generation, at }: LoginSession, g: number): boolean {
  return g === generation - 1 && now() - at < AGAIN_MS;
}

async function endReused(server: AuthServer, sid: string): Promise<never> {
  await endSession(server, sid);
  server.log({ level: 'warn', message: 'a refresh token was used again; its session is ended' });
  throw expired();
}

/** A client that refreshes the tokens of a session. */
interface Refreshing {
  readonly client: OAuthClient;
  readonly session: LoginSession;
}

/**
 * Returns the requested scopes that the client may still have and the user still holds. Throws scope_invalid for a scope
 * that the session lacks.
 */
function narrow(
  server: AuthServer,
  { client: { scopes }, session: { sc, who } }: Refreshing,
  form: Parameters,
): readonly string[] {
  const user = { id: who.i, username: who.un, email: who.em };
  const held = enforceEntitled(server, user, fromClaims(who));
  if (!toScopes(form.get('scope')).every((scope) => sc.includes(scope))) {
    throw new SvcError('scope_invalid', 'A refresh cannot add scopes.');
  }
  const defaultScopes = sc.filter((scope) => scopes.includes(scope));
  return narrowScopes(grantScopes(form, { scopes, defaultScopes }), held, labelOf(user));
}

function expired(): SvcError {
  return new SvcError('grant_invalid', 'The refresh token is not valid, or its session has ended.');
}
