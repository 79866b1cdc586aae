import * as v from 'valibot';
import { readCookie, setCookie } from '../cookies.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';

const SESSIONS = v.object({ ids: v.array(v.string()) });

const DAYS_90 = 90 * 86_400;
const MAX_SESSIONS = 20;

/** The ids of the sessions that a browser opened, so that signing out ends them. */
export async function readBrowserSessions(
  { sealer }: AuthServer,
  { request, urls }: OAuthRequest,
): Promise<readonly string[]> {
  const cookie = readCookie(request, urls, 'sessions');
  const opened = cookie === null ? null : await sealer.openUntimed('sessions', urls.issuer, cookie, SESSIONS);
  return opened?.ids ?? [];
}

/** Makes the `Set-Cookie` header that adds a session. Without a store there is no header. */
export async function rememberSession(
  server: AuthServer,
  oauth: OAuthRequest,
  id: string,
): Promise<readonly string[]> {
  if (server.store === null) return [];
  const ids = [...(await readBrowserSessions(server, oauth)), id].slice(-MAX_SESSIONS);
  const sealed = await server.sealer.seal('sessions', oauth.urls.issuer, { ids }, DAYS_90);
  return [setCookie(oauth.urls, 'sessions', sealed, DAYS_90)];
}
