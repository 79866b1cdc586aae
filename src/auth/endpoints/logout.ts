import { SvcError } from '../../errors.ts';
import { toSignedOutPage, toSignOutPage } from '../../pages/sign-in.ts';
import { spoilCode, takeLogin } from '../completed-login.ts';
import { clearCookies, readCookies } from '../cookies.ts';
import { closeSession, revokeUpstream } from '../session-renewal.ts';
import { ACCESS } from '../tokens.ts';
import type { AuthServer, OAuthRequest, RouteHandler } from '../types.ts';
import { readBrowserSessions } from './browser-sessions.ts';

/** `GET /logout`: asks for confirmation, because a link on another site must not sign a user out. */
export const askLogout: RouteHandler = async (_server, { urls }) => toSignOutPage(`${urls.issuer}/logout`);

/** `POST /logout`: ends the browser's sessions and the session of a bearer token, and removes the cookies. */
export const logout: RouteHandler = async (server, oauth) => {
  const { request, urls, signal } = oauth;
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') {
    throw new SvcError('denied', 'Signing out must be confirmed on the page of this server.');
  }
  const ids = new Set([
    ...(await readBrowserSessions(server, oauth)),
    ...(await sessionOfToken(server, oauth)),
  ]);
  await Promise.all([...ids].map((id) => endLogin(server, id, signal)));
  const cookies = (['browser', 'consent', 'sessions', 'tx'] as const).flatMap((kind) =>
    clearCookies(urls, readCookies(request, urls, kind)),
  );
  return toSignedOutPage({ cookies });
};

/** Ends a login of the browser, also one whose code its client has not redeemed yet. */
async function endLogin(server: AuthServer, id: string, signal: AbortSignal): Promise<void> {
  await spoilCode(server, id);
  const login = await takeLogin(server, id);
  await closeSession(server, id, signal);
  if (login !== null) await revokeUpstream(server, login.tokens, signal);
}

async function sessionOfToken(
  { sealer }: AuthServer,
  { request, urls }: OAuthRequest,
): Promise<readonly string[]> {
  const token = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  const opened = token === undefined ? null : await sealer.openUntimed('access', urls.issuer, token, ACCESS);
  return opened === null ? [] : [opened.sid];
}
