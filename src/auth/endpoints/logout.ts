import { SvcError } from '../../errors.ts';
import { toSignedOutPage, toSignOutPage } from '../../pages/sign-in.ts';
import { clearCookie, readLoginStates } from '../cookies.ts';
import { ACCESS } from '../tokens.ts';
import type { AuthServer, OAuthRequest, RouteHandler } from '../types.ts';
import { knownSessions } from './browser-sessions.ts';
import { closeSession } from './revoke.ts';

/** `GET /logout`: asks, because a link from elsewhere must not sign anybody out. */
export const askLogout: RouteHandler = async (_server, { urls }) => toSignOutPage(`${urls.issuer}/logout`);

/** `POST /logout`: forgets what this browser allowed, and ends the sessions it opened, or that of the token it comes with. */
export const logout: RouteHandler = async (server, exchange) => {
  const { request, urls, signal } = exchange;
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') {
    throw new SvcError('denied', 'Signing out must be asked for on the page of this server.');
  }
  const ids = new Set([
    ...(await knownSessions(server, exchange)),
    ...(await sessionOfToken(server, exchange)),
  ]);
  await Promise.all([...ids].map((id) => closeSession(server, id, signal)));
  const cookies = [
    ...(['browser', 'consent', 'sessions'] as const).map((name) => clearCookie(urls, name)),
    ...readLoginStates(request, urls).map((name) => clearCookie(urls, `tx-${name}`)),
  ];
  return toSignedOutPage({ cookies });
};

async function sessionOfToken(
  { sealer }: AuthServer,
  { request, urls }: OAuthRequest,
): Promise<readonly string[]> {
  const token = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  const opened = token === undefined ? null : await sealer.open('access', urls.issuer, token, ACCESS);
  return opened === null ? [] : [opened.sid];
}
