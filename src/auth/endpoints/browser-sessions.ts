import * as v from 'valibot';
import { readCookies, replaceCookies } from '../cookies.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';

const SESSIONS = v.object({ ids: v.array(v.string()) });

const DAYS_90 = 90 * 86_400;
const MAX_SESSIONS = 20;

/** The ids of the sessions that a browser opened, so that signing out ends them. */
export async function readBrowserSessions(
  { sealer }: AuthServer,
  { request, urls }: OAuthRequest,
): Promise<readonly string[]> {
  const opened = await Promise.all(
    readCookies(request, urls, 'sessions').map(({ value }) =>
      sealer.openUntimed('sessions', urls.issuer, value, SESSIONS),
    ),
  );
  return [...new Set(opened.flatMap((one) => one?.ids ?? []))];
}

/** Makes the `Set-Cookie` headers that add a session. Without a store there are none. */
export async function rememberSession(
  server: AuthServer,
  oauth: OAuthRequest,
  id: string,
): Promise<readonly string[]> {
  if (server.store === null) return [];
  const { request, urls } = oauth;
  const ids = [...(await readBrowserSessions(server, oauth)), id].slice(-MAX_SESSIONS);
  const value = await server.sealer.seal('sessions', urls.issuer, { ids }, DAYS_90);
  return replaceCookies(urls, readCookies(request, urls, 'sessions'), { kind: 'sessions', value }, DAYS_90);
}
