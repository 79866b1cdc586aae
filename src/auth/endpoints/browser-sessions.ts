import * as v from 'valibot';
import { readCookies, replaceCookies } from '../cookies.ts';
import { endSession } from '../sessions.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';

const SESSIONS = v.object({ ids: v.array(v.string()) });

const DAYS_90 = 90 * 86_400;
/** The most sessions that a browser keeps open. Platforms limit the headers of a request to 10 KB. */
const MAX_SESSIONS = 50;

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

/**
 * Makes the `Set-Cookie` headers that add a session. The oldest of too many ends here, because signing out could not end it.
 * The provider is not asked to revoke its tokens: that may end the new session too. Without a store there are no sessions.
 */
export async function rememberSession(
  server: AuthServer,
  oauth: OAuthRequest,
  id: string,
): Promise<readonly string[]> {
  if (server.store === null) return [];
  const { request, urls } = oauth;
  const all = [...(await readBrowserSessions(server, oauth)), id];
  await Promise.all(all.slice(0, -MAX_SESSIONS).map((old) => endSession(server, old)));
  const ids = all.slice(-MAX_SESSIONS);
  const value = await server.sealer.seal('sessions', urls.issuer, { ids }, DAYS_90);
  return replaceCookies(urls, readCookies(request, urls, 'sessions'), { kind: 'sessions', value }, DAYS_90);
}
