import { expect } from 'vitest';
import { createProvider } from '../../../../src/auth/providers/registry.ts';
import type {
  LoginAttempt,
  Provider,
  ProviderPorts,
  UpstreamTokens,
} from '../../../../src/auth/upstream/provider.ts';
import { causesOf, type ErrorCode, SvcError } from '../../../../src/errors.ts';
import type { ProviderBlock } from '../../../../src/settings/model.ts';
import { createBrowser, type Page } from '../../../idp/browser.ts';
import type { Registered } from '../../../idp/front.ts';

/** One login, as this server begins it. */
export const TRIP: LoginAttempt = {
  state: 'state-of-twenty-two-ch',
  verifier: 'verifier-of-at-least-forty-three-characters-1815',
  nonce: 'nonce-of-twenty-two-ch',
  redirectUri: 'https://svc.example/callback',
};

/** What no text may hold. */
export const PLANTED = /planted|leaked|verifier-of|nonce-of/;

export const signal = () => AbortSignal.timeout(20_000);

/** A stand-in's addresses and client as a block of the user file. */
export function blockOf(
  id: ProviderBlock['id'],
  client: Registered,
  more: Partial<ProviderBlock> = {},
): ProviderBlock {
  if (!client.redirects.includes(TRIP.redirectUri)) client.redirects.push(TRIP.redirectUri);
  return { id, client_id: client.id, client_secret: client.secret, callback_path: '/callback', ...more };
}

/** A provider over real HTTP. */
export function providerOf(block: ProviderBlock, ports: Partial<ProviderPorts> = {}): Provider {
  return createProvider(block, { fetch, now: Date.now, ...ports });
}

/** How somebody acts at the provider. */
export interface Acts {
  readonly user?: string;
  readonly decision?: 'allow' | 'deny';
  /** The scopes to leave ticked. */
  readonly tick?: readonly string[];
  readonly trip?: LoginAttempt;
}

/** Logs in with a browser, and comes back with the callback's address. */
export async function signIn(provider: Provider, acts: Acts = {}): Promise<URL> {
  const browser = createBrowser({ stopAt: ({ host }) => host === 'svc.example' });
  let page = await browser.open(await provider.authorizationUrl(acts.trip ?? TRIP));
  for (let step = 0; step < 3 && page.url.host !== 'svc.example'; step += 1)
    page = await act(browser, page, acts);
  if (page.url.host !== 'svc.example') throw new Error(`${page.status} ${page.url.href}\n${page.text}`);
  return page.url;
}

function act(browser: ReturnType<typeof createBrowser>, page: Page, { user = 'ada', decision, tick }: Acts) {
  const names = page.forms[0]?.fields.map(([name]) => name) ?? [];
  if (names.includes('login')) return browser.submit(page, { login: user, password: 'secret' });
  if (names.includes('username')) return browser.submit(page, { username: user, password: 'secret' });
  if (names.includes('prompt')) return browser.submit(page);
  const scope = tick === undefined ? {} : { scope: tick[0] ?? null };
  return browser.submit(page, { decision: decision ?? 'allow', ...scope });
}

/** Logs in and exchanges the code. */
export async function tokensOf(provider: Provider, acts: Acts = {}): Promise<UpstreamTokens> {
  const callback = await signIn(provider, acts);
  return provider.exchange(callback.searchParams.get('code') ?? '', acts.trip ?? TRIP, signal());
}

/** Logs in, exchanges the code, and asks who it is. */
export async function identityOf(provider: Provider, acts: Acts = {}) {
  return provider.identify(await tokensOf(provider, acts), TRIP.nonce, signal());
}

/** The failure of a promise: its code is the expected one, and nothing in it is a secret. */
export async function failureOf(promise: Promise<unknown>, code: ErrorCode): Promise<SvcError> {
  const thrown = await promise.then(
    (value) => new Error(`no failure but ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(thrown instanceof SvcError)) throw thrown;
  expect(thrown.message).toMatch(/^[A-Z].*\.$/s);
  expect(`${thrown.code}: ${thrown.message}`).toMatch(new RegExp(`^${code}: `));
  expect(`${thrown.message} ${JSON.stringify(thrown.detail)} ${causesOf(thrown)}`).not.toMatch(PLANTED);
  return thrown;
}
