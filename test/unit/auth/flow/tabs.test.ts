import { afterAll, beforeAll, expect, test } from 'vitest';
import { checksumOf } from '../../../../src/crypto/digest.ts';
import { createBrowser, type Page } from '../../../idp/browser.ts';
import { createGithubIdp, type GithubIdp } from '../../../idp/github.ts';
import type { Served } from '../../call/project.ts';
import { createMemoryStore } from '../memory-store.ts';
import { callWith } from './peers.ts';
import { type FlowServer, serveProject, startServer } from './server.ts';

const REDIRECT = 'https://client.example/back';
/** The verifier and the challenge of RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

let idp: GithubIdp;
let served: Served;
let server: FlowServer;

beforeAll(async () => {
  [idp, served] = [await createGithubIdp({ app: true }), await serveProject()];
  const provider = (callback: string) => {
    idp.client.redirects.push(callback);
    const { id: client_id, secret: client_secret } = idp.client;
    const base = `${idp.origin}/login/oauth`;
    const urls = { auth_url: `${base}/authorize`, token_url: `${base}/access_token`, scope: 'read:user' };
    return { id: 'github', client_id, client_secret, callback_path: '/callback', ...urls } as const;
  };
  const auth = (callback: string) => ({ provider: provider(callback) });
  server = await startServer({ served, auth, store: createMemoryStore() });
});
afterAll(async () => {
  for (const one of [server, idp, served]) await one.close();
});

const address = (path: string) => new URL(path, server.mcp);

/** A browser whose tabs wait for each other: each step sends the requests of all tabs before any answer arrives. */
function createTabs() {
  let stop = server.callback;
  const browser = createBrowser({ stopAt: ({ href }) => href.startsWith(stop) });
  const each = <Item>(items: readonly Item[], step: (item: Item) => Promise<Page>) =>
    Promise.all(items.map(step));
  return {
    open: (urls: readonly URL[]) => each(urls, (url) => browser.open(url)),
    allow: (pages: readonly Page[]) => each(pages, (page) => browser.submit(page, { answer: 'allow' })),
    /** Signs in at the provider, one tab after the other, up to the redirect to the server. */
    signIn: async (pages: readonly Page[]) => {
      const back: URL[] = [];
      for (let page of pages) {
        while (!page.url.href.startsWith(stop)) {
          const names = page.forms[0]?.fields.map(([name]) => name) ?? [];
          const login = { username: 'ada', password: 'secret' };
          page = await browser.submit(page, names.includes('username') ? login : { decision: 'allow' });
        }
        back.push(page.url);
      }
      return back;
    },
    /** Follows the redirects to the server, up to the client. */
    finish: (urls: readonly URL[]) => {
      stop = REDIRECT;
      return each(urls, (url) => browser.open(url));
    },
    signOut: async () => browser.submit(await browser.open(address('/logout'))),
    /** The names of the server's cookies; those of the provider have the same host. */
    cookies: () =>
      [...(browser.cookies.get(server.mcp.hostname)?.keys() ?? [])].filter((name) =>
        name.startsWith(`svc-${checksumOf(server.mcp.origin)}-`),
      ),
  };
}

async function registerClient(): Promise<string> {
  const metadata = { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
  const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const response = await fetch(address('/register'), { ...init, body: JSON.stringify(metadata) });
  return ((await response.json()) as { client_id: string }).client_id;
}

function toAuthorize(client_id: string): URL {
  const url = address('/authorize');
  const proof = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
  const request = { response_type: 'code', client_id, redirect_uri: REDIRECT, ...proof };
  url.search = new URLSearchParams(request).toString();
  return url;
}

async function redeem(page: Page, client_id: string): Promise<string> {
  const code = page.url.searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', client_id, redirect_uri: REDIRECT };
  const body = new URLSearchParams({ ...grant, code, code_verifier: VERIFIER });
  const response = await fetch(address('/token'), { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

// Requirements: oauth.ended, oauth.tabs
test('tabs of one browser sign in at the same time, and one sign-out ends all of it', async () => {
  const clients = await Promise.all([registerClient(), registerClient(), registerClient()]);
  const tabs = createTabs();
  const pages = await tabs.open(clients.map(toAuthorize));
  const back = await tabs.signIn(await tabs.allow(pages));
  const finished = await tabs.finish(back);
  const tokens = await Promise.all(finished.map((page, index) => redeem(page, clients[index] ?? '')));
  const statuses = () =>
    Promise.all(tokens.map(async (token) => (await callWith(server.mcp, token, 'whoami')).status));
  expect(await statuses()).toEqual([200, 200, 200]);
  // The consents of all tabs are remembered, so the server asks none again.
  const again = await tabs.open(clients.map(toAuthorize));
  expect(again.map(({ url }) => url.origin)).toEqual(clients.map(() => idp.origin));
  expect(tabs.cookies()).not.toEqual([]);
  expect((await tabs.signOut()).status).toBe(200);
  expect(await statuses()).toEqual([401, 401, 401]);
  expect(tabs.cookies()).toEqual([]);
});
