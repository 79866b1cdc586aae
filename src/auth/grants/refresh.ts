import { SvcError } from '../../errors.ts';
import type { OAuthClient } from '../clients/model.ts';
import { need, type Parameters } from '../parameters.ts';
import { enforceTarget } from '../resource-indicator.ts';
import { toScopes } from '../scopes.ts';
import { freshen } from '../session-renewal.ts';
import { endSession, type LoginSession, readSession, type StoredSession, writeSession } from '../sessions.ts';
import { issueForSession, REFRESH, sealRefresh, type TokenResponse } from '../tokens.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';

/** Clients send one refresh token from several processes at once: so long they get the same successor. */
const AGAIN_MS = 60_000;

/** `grant_type=refresh_token`: each use rotates it; one that is used again later ends the session (OAuth 2.1, 4.3.1). */
export async function refreshTokens(
  server: AuthServer,
  exchange: OAuthRequest,
  client: OAuthClient,
  form: Parameters,
): Promise<TokenResponse> {
  const { urls } = exchange;
  const token = await server.sealer.open('refresh', urls.issuer, need(form, 'refresh_token'), REFRESH);
  if (token === null || token.h !== client.hash) throw over();
  enforceTarget(form, urls);
  const { sid, g } = token;
  for (;;) {
    const kept = await current(server, sid, client);
    const scopes = narrow(kept.session, form);
    if (isRepeated(server, kept.session, g))
      return issueForSession(server, exchange, { sid, session: kept.session, scopes });
    if (kept.session.g !== g) return endReused(server, sid);
    const rt = await sealRefresh(server, exchange, { sid, g: g + 1, h: client.hash });
    const session = { ...kept.session, g: g + 1, at: server.now(), rt };
    // Whoever loses the race looks again, and finds the winner's successor.
    if (await writeSession(server, sid, session, kept.version)) {
      return issueForSession(server, exchange, { sid, session, scopes });
    }
  }
}

async function current(server: AuthServer, sid: string, client: OAuthClient): Promise<StoredSession> {
  const kept = await readSession(server, sid);
  if (kept === null || kept.session.h !== client.hash) throw over();
  if (kept.session.end <= server.now() / 1000) throw over();
  const fresh = await freshen(server, sid, kept);
  if (fresh === null) throw over();
  return fresh;
}

function isRepeated({ now }: AuthServer, { g: generation, at }: LoginSession, g: number): boolean {
  return g === generation - 1 && now() - at < AGAIN_MS;
}

async function endReused(server: AuthServer, sid: string): Promise<never> {
  await endSession(server, sid);
  server.log({ level: 'warn', message: 'a refresh token was used again; its session is ended' });
  throw over();
}

/** Fewer scopes may be asked for, never more. */
function narrow({ sc }: LoginSession, form: Parameters): readonly string[] {
  const asked = toScopes(form.get('scope'));
  if (asked.length === 0) return sc;
  if (asked.every((scope) => sc.includes(scope))) return asked;
  throw new SvcError('scope_invalid', 'A refresh cannot add scopes.');
}

function over(): SvcError {
  return new SvcError('grant_invalid', 'The refresh token is not valid, or its session has ended.');
}
