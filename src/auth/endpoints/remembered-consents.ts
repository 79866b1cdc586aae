import * as v from 'valibot';
import { isLocal } from '../clients/redirect-uri.ts';
import { MAX_COOKIE, readCookie, setCookie } from '../cookies.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';
import type { PendingAuthorization } from './login-attempt.ts';

const CONSENT = v.object({ h: v.string(), r: v.string(), sc: v.array(v.string()), e: v.number() });
const CONSENTS = v.object({ list: v.array(CONSENT) });

type Consent = v.InferOutput<typeof CONSENT>;

const DAYS_30 = 30 * 86_400;

/**
 * Whether this browser's user recently allowed the same client, redirect URI and scopes. False for a program on the
 * user's computer, because any other program there can send the same request (RFC 8252, 8.6).
 */
export async function isRemembered(
  server: AuthServer,
  oauth: OAuthRequest,
  pending: PendingAuthorization,
): Promise<boolean> {
  if (isLocal(pending.r)) return false;
  const seconds = server.now() / 1000;
  return (await readConsents(server, oauth)).some(
    ({ h, r, sc, e }) =>
      h === pending.h && r === pending.r && seconds < e && pending.sc.every((scope) => sc.includes(scope)),
  );
}

/**
 * Makes the `Set-Cookie` header that adds a consent; none for a program on the user's computer. The oldest consents are
 * dropped if they do not fit.
 */
export async function rememberConsent(
  server: AuthServer,
  oauth: OAuthRequest,
  { h, r, sc }: PendingAuthorization,
): Promise<readonly string[]> {
  if (isLocal(r)) return [];
  const { urls } = oauth;
  const e = Math.floor(server.now() / 1000) + DAYS_30;
  const others = (await readConsents(server, oauth)).filter((one) => one.h !== h || one.r !== r);
  let list: readonly Consent[] = [...others, { h, r, sc, e }];
  for (;;) {
    const sealed = await server.sealer.seal('consent', urls.issuer, { list }, DAYS_30);
    if (sealed.length <= MAX_COOKIE) return [setCookie(urls, 'consent', sealed, DAYS_30)];
    if (list.length === 1) return [setCookie(urls, 'consent', '', 0)];
    list = list.slice(1);
  }
}

async function readConsents(
  { sealer }: AuthServer,
  { request, urls }: OAuthRequest,
): Promise<readonly Consent[]> {
  const cookie = readCookie(request, urls, 'consent');
  const opened = cookie === null ? null : await sealer.open('consent', urls.issuer, cookie, CONSENTS);
  return opened?.list ?? [];
}
