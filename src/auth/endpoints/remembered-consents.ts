import * as v from 'valibot';
import { isLocal } from '../clients/redirect-uri.ts';
import { clearCookies, MAX_COOKIE, readCookies, replaceCookies } from '../cookies.ts';
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
 * Makes the `Set-Cookie` headers that add a consent; none for a program on the user's computer. The oldest consents are
 * dropped if they do not fit.
 */
export async function rememberConsent(
  server: AuthServer,
  oauth: OAuthRequest,
  { h, r, sc }: PendingAuthorization,
): Promise<readonly string[]> {
  if (isLocal(r)) return [];
  const { request, urls } = oauth;
  const read = readCookies(request, urls, 'consent');
  const e = Math.floor(server.now() / 1000) + DAYS_30;
  const others = (await readConsents(server, oauth)).filter((one) => one.h !== h || one.r !== r);
  let list: readonly Consent[] = [...others, { h, r, sc, e }];
  for (;;) {
    const value = await server.sealer.seal('consent', urls.issuer, { list }, DAYS_30);
    if (value.length <= MAX_COOKIE) return replaceCookies(urls, read, { kind: 'consent', value }, DAYS_30);
    if (list.length === 1) return clearCookies(urls, read);
    list = list.slice(1);
  }
}

async function readConsents(
  { sealer }: AuthServer,
  { request, urls }: OAuthRequest,
): Promise<readonly Consent[]> {
  const opened = await Promise.all(
    readCookies(request, urls, 'consent').map(({ value }) =>
      sealer.open('consent', urls.issuer, value, CONSENTS),
    ),
  );
  const all = opened.flatMap((one) => one?.list ?? []);
  return [...new Map(all.map((consent) => [JSON.stringify([consent.h, consent.r]), consent])).values()];
}
