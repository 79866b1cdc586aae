import * as v from 'valibot';
import { readCookie, setCookie } from '../cookies.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';

const SESSIONS = v.object({ ids: v.array(v.string()) });

const DAYS_90 = 90 * 86_400;
const MAX_SESSIONS = 20;

/** The sessions that were opened from a browser, so that it can end them. */
export async function knownSessions(
  { sealer }: AuthServer,
  { request, urls }: OAuthRequest,
): Promise<readonly string[]> {
  const cookie = readCookie(request, urls, 'sessions');
  const opened = cookie === null ? null : await sealer.open('sessions', urls.issuer, cookie, SESSIONS);
  return opened?.ids ?? [];
}

/** The `Set-Cookie`s that note one more; none where no session is kept. */
export async function rememberSession(
  server: AuthServer,
  exchange: OAuthRequest,
  id: string,
): Promise<readonly string[]> {
  if (server.store === null) return [];
  const ids = [...(await knownSessions(server, exchange)), id].slice(-MAX_SESSIONS);
  const sealed = await server.sealer.seal('sessions', exchange.urls.issuer, { ids }, DAYS_90);
  return [setCookie(exchange.urls, 'sessions', sealed, DAYS_90)];
}
