import type * as v from 'valibot';
import { SvcError, toSvcError } from '../errors.ts';
import { enforceRequired, findToken, refuseToken } from './bearer.ts';
import { toChallenge } from './challenge.ts';
import { toUser } from './claims.ts';
import type { PublicUrls } from './issuer.ts';
import { readSession, type StoredSession } from './sessions.ts';
import { ACCESS } from './tokens.ts';
import type { Authenticated, AuthRejection, AuthServer } from './types.ts';
import { freshen, isDue, isOver } from './upstream/renew.ts';

/** Who sends a request, by a token of this server: sealed for its MCP endpoint, not over, of a session that is. */
export async function checkAccess(
  server: AuthServer,
  urls: PublicUrls,
  request: Request,
): Promise<Authenticated | AuthRejection> {
  const found = findToken(request, urls, server.scopes);
  if ('error' in found) return found;
  const access = await server.sealer.open('access', urls.issuer, found.token, ACCESS);
  if (access === null || access.aud !== urls.resource || isForeign(server, access)) {
    return refuseToken(urls, server.scopes.basic);
  }
  const { sc: scopes, sid: sessionId, idp, who, up } = access;
  if (who !== undefined) {
    const live = up !== undefined && (up.e === null || up.e > server.now() / 1000);
    const user = toUser(who, idp, live ? up.t : null);
    return enforceRequired({ user, scopes, sessionId }, urls, server.scopes);
  }
  try {
    const user = await userOfSession(server, sessionId);
    if (user === null) return refuseToken(urls, server.scopes.basic);
    return enforceRequired({ user, scopes, sessionId }, urls, server.scopes);
  } catch (thrown) {
    const error = toSvcError(thrown);
    return { error, challenge: toChallenge(urls, { scopes: server.scopes.basic }) };
  }
}

/** Of a client that is blocked by now, or of a provider that was there before. */
function isForeign({ blocked, provider }: AuthServer, { h, idp }: v.InferOutput<typeof ACCESS>): boolean {
  return blocked.has(h) || (idp !== null && idp !== provider.id);
}

/** The store has the last word: whoever is signed out there is out at once. */
async function userOfSession(server: AuthServer, id: string) {
  const kept = await readSession(server, id);
  if (kept === null || kept.session.end <= server.now() / 1000) return null;
  const fresh = isDue(server, kept.session) ? await tryToFreshen(server, id, kept) : kept;
  if (fresh === null) return null;
  const { session } = fresh;
  return toUser(session.who, server.provider.id, isOver(server, session) ? null : session.up.a);
}

/** How long calls of a session leave a provider alone that did not answer, in seconds. */
const REST_SECONDS = 30;

/** A provider that does not answer must not stop calls that may never need its token, nor have each of them wait. */
async function tryToFreshen(
  server: AuthServer,
  id: string,
  kept: StoredSession,
): Promise<StoredSession | null> {
  const rest = `rest:${id}`;
  if ((await server.store?.get(rest)) ?? null) return kept;
  try {
    return await freshen(server, id, kept);
  } catch (thrown) {
    server.log({ level: 'warn', message: `a token was not renewed: ${toSvcError(thrown).message}` });
    if (!(thrown instanceof SvcError) || thrown.code !== 'login_unavailable') throw thrown;
    // It may be the store that is in trouble.
    await server.store?.claimOnce(rest, REST_SECONDS).catch(() => false);
    return readSession(server, id);
  }
}
