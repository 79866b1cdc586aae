import * as v from 'valibot';
import { randomText, sha256Base64Url } from '../../crypto/digest.ts';
import { SvcError } from '../../errors.ts';
import { toConsentPage } from '../../pages/sign-in.ts';
import { findClient } from '../clients/find.ts';
import type { OAuthClient } from '../clients/model.ts';
import { enforceRedirect, isLocal } from '../clients/redirect-uri.ts';
import { readCookie, setCookie } from '../cookies.ts';
import { need, type Parameters } from '../parameters.ts';
import { enforceTarget } from '../resource-indicator.ts';
import { grantScopes } from '../scopes.ts';
import type { AuthServer, OAuthRequest, RouteHandler } from '../types.ts';
import {
  PENDING_AUTHORIZATION,
  PENDING_SECONDS,
  type PendingAuthorization,
  startLogin,
} from './login-attempt.ts';
import { toDenied, toErrorRedirect } from './redirect.ts';
import { isRemembered, rememberConsent } from './remembered-consents.ts';

/** `GET /authorize`: a client sends a person; nothing is sent back before client and redirect are known to be right (OAuth 2.1, 4.1.1). */
export const authorize: RouteHandler = async (server, exchange) => {
  const query = exchange.query();
  const client = await findClient(server, exchange, need(query, 'client_id'));
  const redirect = enforceRedirect(client, need(query, 'redirect_uri'));
  const waiting = { redirect, state: query.get('state') ?? null };
  try {
    const pending = toPending(query, client, exchange);
    const known = client.kind === 'static' || (await isRemembered(server, exchange, pending));
    if (known) return await startLogin(server, exchange, pending);
    return await askConsent(server, exchange, client, pending);
  } catch (thrown) {
    return toErrorRedirect(server, exchange, waiting, thrown);
  }
};

const TICKET = v.object({ ...PENDING_AUTHORIZATION.entries, b: v.string() });

/** `POST /authorize`: the person's answer, from the page that this browser was shown. */
export const answerConsent: RouteHandler = async (server, exchange) => {
  const { request, urls } = exchange;
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') throw foreign();
  const form = await exchange.form();
  const opened = await server.sealer.open('ticket', urls.issuer, need(form, 'ticket'), TICKET);
  const browser = readCookie(request, urls, 'browser');
  if (opened === null) throw new SvcError('request_invalid', 'The page is too old, or not from here.');
  if (browser === null || (await sha256Base64Url(browser)) !== opened.b) throw foreign();
  const { h, r, k, st, sc } = opened;
  const pending = { h, r, k, st, sc };
  try {
    if (form.get('answer') !== 'allow') throw toDenied();
    return await startLogin(server, exchange, pending, [await rememberConsent(server, exchange, pending)]);
  } catch (thrown) {
    return toErrorRedirect(server, exchange, { redirect: r, state: st }, thrown);
  }
};

function toPending(query: Parameters, client: OAuthClient, { urls }: OAuthRequest): PendingAuthorization {
  if (need(query, 'response_type') !== 'code') {
    throw new SvcError('response_unsupported', 'The only response_type is code.');
  }
  if ((query.get('response_mode') ?? 'query') !== 'query') {
    throw new SvcError('request_invalid', 'The only response_mode is query.');
  }
  if (query.has('request') || query.has('request_uri')) {
    throw new SvcError('request_invalid', 'Request objects are not taken.');
  }
  const challenge = need(query, 'code_challenge');
  if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
    throw new SvcError('request_invalid', 'PKCE with code_challenge_method S256 is needed.');
  }
  enforceTarget(query, urls);
  if (!client.grantTypes.includes('authorization_code')) {
    throw new SvcError('client_unauthorized', 'The client may not sign people in.');
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
  const known = readCookie(request, urls, 'browser');
  const browser = known !== null && /^[\w-]{22}$/.test(known) ? known : randomText(16);
  const claims = { ...pending, b: await sha256Base64Url(browser) };
  const ticket = await sealer.seal('ticket', urls.issuer, claims, PENDING_SECONDS);
  const cookies = [setCookie(urls, 'browser', browser, null)];
  const { r: redirect, sc: scopes } = pending;
  const action = `${urls.issuer}/authorize`;
  const local = isLocal(redirect);
  return toConsentPage({ project, client, redirect, local, scopes, provider, action, ticket, cookies });
}

function foreign(): SvcError {
  return new SvcError('denied', 'The answer did not come from the page that this browser was shown.');
}
