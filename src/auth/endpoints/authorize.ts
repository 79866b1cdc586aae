import * as v from 'valibot';
import { randomText, sha256Base64Url } from '../../crypto/digest.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { toConsentPage } from '../../pages/sign-in.ts';
import { providerTitle } from '../../settings/schema/providers.ts';
import { findClient } from '../clients/find.ts';
import { enforceRedirect, isLocal } from '../clients/redirect-uri.ts';
import { type Cookie, clearCookies, readCookies, setCookie } from '../cookies.ts';
import { need, type Parameters } from '../parameters.ts';
import type { PublicUrls } from '../public-urls.ts';
import { enforceTarget } from '../resource-indicator.ts';
import { grantScopes } from '../scopes.ts';
import type { AuthServer, OAuthClient, OAuthRequest, RouteHandler } from '../types.ts';
import {
  PENDING_AUTHORIZATION,
  PENDING_SECONDS,
  type PendingAuthorization,
  startLogin,
} from './login-attempt.ts';
import { consentDeclined, toErrorRedirect, toFailurePage } from './redirect.ts';
import { isRemembered, rememberConsent } from './remembered-consents.ts';

/**
 * `GET /authorize`: a client sends a browser to sign in. Before client and redirect URI are verified, errors are shown as
 * a page instead of a redirect (OAuth 2.1, 4.1.1). So are errors of clients that registered a website by themselves:
 * otherwise any link to this server could lead to any website (RFC 9700, 4.11.2).
 */
export const authorize: RouteHandler = async (server, oauth) => {
  const query = oauth.query();
  const client = await findClient(server, oauth, need(query, 'client_id'));
  const redirect = enforceRedirect(client, need(query, 'redirect_uri'));
  const waiting = { redirect, state: query.get('state') ?? null };
  try {
    const pending = toPending(query, client, oauth);
    const consented = isVouchedFor(client, redirect) || (await isRemembered(server, oauth, pending));
    if (consented) return await startLogin(server, oauth, pending);
    return await askConsent(server, oauth, client, pending);
  } catch (thrown) {
    const back = toErrorRedirect(server, oauth, waiting, thrown);
    if (client.kind === 'static' || isLocal(redirect)) return back;
    return toFailurePage(toSvcError(thrown), back.headers.get('location'));
  }
};

/**
 * Whether the operator vouches for a client. A public client on the user's computer needs consent each time, because
 * any program there can send its requests (RFC 8252, 8.6).
 */
function isVouchedFor({ kind, isSecret }: OAuthClient, redirect: string): boolean {
  return kind === 'static' && (isSecret !== undefined || !isLocal(redirect));
}

const TICKET = v.object({ ...PENDING_AUTHORIZATION.entries, b: v.string() });

/** `POST /authorize`: the person's answer on the consent page. It must come from the browser that got the page. */
export const answerConsent: RouteHandler = async (server, oauth) => {
  const { request, urls } = oauth;
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') throw otherBrowser();
  const form = await oauth.form();
  const opened = await server.sealer.open('ticket', urls.issuer, need(form, 'ticket'), TICKET);
  if (opened === null)
    throw new SvcError('request_invalid', 'The page has expired, or this server did not send it.');
  const secrets = readCookies(request, urls, 'browser').map(({ value }) => sha256Base64Url(value));
  if (!(await Promise.all(secrets)).includes(opened.b)) throw otherBrowser();
  const { h, r, k, st, sc } = opened;
  const pending = { h, r, k, st, sc };
  if (form.get('answer') !== 'allow') return declineConsent(server, oauth, pending);
  try {
    return await startLogin(server, oauth, pending, await rememberConsent(server, oauth, pending));
  } catch (thrown) {
    return toErrorRedirect(server, oauth, { redirect: r, state: st }, thrown);
  }
};

/**
 * Tells the client that the person did not agree. A website on the consent page registered itself, so it gets no redirect,
 * but a page with a link.
 */
async function declineConsent(
  server: AuthServer,
  oauth: OAuthRequest,
  { r: redirect, st: state }: PendingAuthorization,
): Promise<Response> {
  const back = toErrorRedirect(server, oauth, { redirect, state }, consentDeclined());
  if (isLocal(redirect)) return back;
  const declined = new SvcError('denied', 'You did not allow the program to use this server.');
  return toFailurePage(declined, back.headers.get('location'));
}

function toPending(query: Parameters, client: OAuthClient, { urls }: OAuthRequest): PendingAuthorization {
  if (need(query, 'response_type') !== 'code') {
    throw new SvcError('response_unsupported', 'The only response_type is code.');
  }
  if ((query.get('response_mode') ?? 'query') !== 'query') {
    throw new SvcError('request_invalid', 'The only response_mode is query.');
  }
  if (query.has('request') || query.has('request_uri')) {
    throw new SvcError('request_invalid', 'Request objects are not supported.');
  }
  const challenge = need(query, 'code_challenge');
  if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
    throw new SvcError('request_invalid', 'PKCE with code_challenge_method S256 is required.');
  }
  enforceTarget(query, urls);
  if (!client.grantTypes.includes('authorization_code')) {
    throw new SvcError(
      'client_unauthorized',
      'The client is not registered for the authorization code grant.',
    );
  }
  const sc = [...grantScopes(query, client)];
  return { h: client.hash, r: need(query, 'redirect_uri'), k: challenge, st: query.get('state') ?? null, sc };
}

async function askConsent(
  { sealer, provider, project }: AuthServer,
  { request, urls }: OAuthRequest,
  client: OAuthClient,
  pending: PendingAuthorization,
): Promise<Response> {
  const { browser, cookies } = tieToBrowser(readCookies(request, urls, 'browser'), urls);
  const claims = { ...pending, b: await sha256Base64Url(browser) };
  const ticket = await sealer.seal('ticket', urls.issuer, claims, PENDING_SECONDS);
  const { r: redirect, sc: scopes } = pending;
  const action = `${urls.issuer}/authorize`;
  const local = isLocal(redirect);
  const asked = { title: providerTitle(provider.id), scopes: provider.scopes };
  return toConsentPage({
    project,
    client,
    redirect,
    local,
    scopes,
    provider: asked,
    action,
    ticket,
    cookies,
  });
}

/** The most secrets of one browser: it gets one for each page that it asks for while it has none. */
const MAX_BROWSER_SECRETS = 8;

/** The secret that a browser must send with its answer: the newest that it has, or a new one. */
function tieToBrowser(read: readonly Cookie[], urls: PublicUrls) {
  const own = read.filter(({ value }) => /^[\w-]{22}$/.test(value));
  const tied = own.at(-1) ?? { kind: 'browser', id: randomText(8), value: randomText(16) };
  const stale = read.slice(0, Math.max(0, read.length - MAX_BROWSER_SECRETS));
  const cookies = [...clearCookies(urls, stale), setCookie(urls, tied, PENDING_SECONDS)];
  return { browser: tied.value, cookies };
}

function otherBrowser(): SvcError {
  return new SvcError('denied', 'The answer did not come from the page that this browser was shown.');
}
