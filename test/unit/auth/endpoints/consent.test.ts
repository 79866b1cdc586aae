import { describe, expect, it } from 'vitest';
import { providerTitle } from '../../../../src/settings/schema/providers.ts';
import { authorizePath, Browser, createDesk, type Desk, pkce, REDIRECT, register } from '../fixture.ts';

const replaceSecrets = ({ cookies }: Browser) => {
  for (const name of cookies.keys()) cookies.set(name, 'x'.repeat(22));
};

describe('the consent page', () => {
  const open = async (desk: Desk, more: Record<string, unknown> = {}) => {
    const { client_id } = await register(desk, more);
    const browser = new Browser(desk);
    const response = await browser.go(authorizePath(client_id, pkce().challenge));
    return { browser, response, page: await response.text() };
  };

  it('runs nothing, loads nothing, is framed by nobody and kept nowhere', async () => {
    const { response, page } = await open(createDesk());
    const policy = response.headers.get('content-security-policy');
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'referrer-policy': 'strict-origin',
    });
    expect(page).not.toMatch(/<script|<img|<link|<iframe|\son\w+=|url\(|src=/i);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('says in words what the client and the provider are asked for, with the proper name of the provider', async () => {
    const { page } = await open(createDesk());
    expect(page).toContain('<li>to use this server as you (<code>svc:access</code>)</li>');
    expect(providerTitle('github')).toBe('GitHub');
    expect(providerTitle('Acme ID')).toBe('Acme ID');
  });

  it('shows what a client calls itself as text', async () => {
    const name = `<script>alert(1)</script>"'&\u202Egnp.exe\u0000`;
    const { page } = await open(createDesk(), { client_name: name });
    expect(page).not.toContain('<script');
    expect(page).not.toContain('\u202E');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
  });

  // Requirements: as.consent.host
  it('warns about programs on this computer, and names the host of others', async () => {
    const { page } = await open(createDesk());
    expect(page).toContain('<strong>client.example</strong>');
    const desk = createDesk();
    const { client_id } = await register(desk, { redirect_uris: ['http://localhost:7/cb'] });
    const local = await desk.fetch(
      authorizePath(client_id, pkce().challenge, { redirect_uri: 'http://localhost:7/cb' }),
    );
    expect(await local.text()).toContain('Any program on this computer can send such a request');
  });

  // Requirements: as.consent
  it.each([
    ['another browser', replaceSecrets, {}],
    ['a browser without its cookie', (browser: Browser) => browser.cookies.clear(), {}],
    ['a page of another site', () => {}, { 'sec-fetch-site': 'cross-site' }],
    ['a page of a sibling site', () => {}, { 'sec-fetch-site': 'same-site' }],
    ['nowhere', () => {}, { 'sec-fetch-site': 'none' }],
  ])('takes no answer from %s', async (_name, change, headers) => {
    const { browser, page } = await open(createDesk());
    change(browser);
    expect((await browser.answer(page, 'allow', headers as Record<string, string>)).status).toBe(403);
  });

  // Requirements: as.consent, oauth.tabs
  it('may be open in several tabs; the oldest of more than eight that opened at once are refused later', async () => {
    const desk = createDesk();
    const redirect_uri = 'http://localhost:7/cb';
    const { client_id } = await register(desk, { redirect_uris: [redirect_uri] });
    const browser = new Browser(desk);
    const url = authorizePath(client_id, pkce().challenge, { redirect_uri });
    const opened = await Promise.all(Array.from({ length: 11 }, () => browser.go(url)));
    const pages = await Promise.all(opened.map((response) => response.text()));
    expect(browser.cookies.size).toBe(11);
    pages.push(await (await browser.go(url)).text());
    expect(browser.cookies.size).toBe(8);
    const answers: number[] = [];
    for (const page of pages) answers.push((await browser.answer(page, 'deny')).status);
    expect(answers.toSorted()).toEqual([...Array(9).fill(303), ...Array(3).fill(403)]);
    expect(answers.at(-1)).toBe(303);
  });

  it('takes no answer after ten minutes', async () => {
    const desk = createDesk();
    const { browser, page } = await open(desk);
    desk.clock.ms += 600_000;
    expect((await browser.answer(page, 'allow')).status).toBe(400);
  });

  it('takes an answer without a known button for a no', async () => {
    const { browser, page } = await open(createDesk());
    const response = await browser.answer(page, 'other' as 'deny');
    expect(await response.text()).toContain('error=access_denied');
  });

  // Requirements: as.redirect.open
  it.each(['static', 'dynamic'])(
    'tells a program on this computer about a no by a redirect (%s client)',
    async (kind) => {
      const redirect_uri = 'http://localhost:7/cb';
      const own = { client_id: 'app', name: 'App', redirect_uris: [redirect_uri], scopes: ['svc:access'] };
      const app = { ...own, grant_types: ['authorization_code' as const], client_secret: null };
      const desk = createDesk({ auth: { clients: [app] } });
      const known = kind === 'static' ? app : await register(desk, { redirect_uris: [redirect_uri] });
      const browser = new Browser(desk);
      const asked = await browser.go(authorizePath(known.client_id, pkce().challenge, { redirect_uri }));
      const response = await browser.answer(await asked.text(), 'deny');
      const back = new URL(response.headers.get('location') ?? 'about:blank');
      expect([back.host, back.searchParams.get('error')]).toEqual(['localhost:7', 'access_denied']);
    },
  );
});

describe('consent of a public client that redirects to a program of this computer', () => {
  const LOCAL = 'http://127.0.0.1:7000/cb';
  const redirect_uris = [LOCAL, 'com.example.app:/cb', REDIRECT];
  const grant_types = ['authorization_code' as const];
  const app = { client_id: 'app', name: 'App', redirect_uris, grant_types, scopes: ['svc:access'] };
  const deskOf = (client_secret: string | null) =>
    createDesk({ auth: { clients: [{ ...app, client_secret }] } });
  const open = (browser: Browser, redirect_uri: string, id = 'app') =>
    browser.go(authorizePath(id, pkce().challenge, { redirect_uri }));

  // Requirements: as.consent.local
  it.each([LOCAL, 'http://127.0.0.1:7001/cb', 'com.example.app:/cb'])(
    'is asked of every request to %s, of a configured client too',
    async (redirect) => {
      const browser = new Browser(deskOf(null));
      for (const round of [1, 2]) {
        const response = await open(browser, redirect);
        const page = await response.clone().text();
        expect([round, response.status, page.includes('a program on this computer')]).toEqual([
          round,
          200,
          true,
        ]);
        expect(page).toContain('The operator of this server configured this name.');
        expect((await browser.finish(response)).searchParams.get('code')).not.toBeNull();
      }
    },
  );

  // Requirements: as.consent.local
  it('is asked of every request of a client that registered itself', async () => {
    const desk = createDesk();
    const { client_id } = await register(desk, { redirect_uris: [LOCAL] });
    const browser = new Browser(desk);
    await browser.finish(await open(browser, LOCAL, client_id));
    expect((await open(browser, LOCAL, client_id)).status).toBe(200);
  });

  it('is not asked where only the client can redeem the code, or only its website gets it', async () => {
    const secret = await open(new Browser(deskOf('a-secret')), LOCAL);
    const website = await open(new Browser(deskOf(null)), REDIRECT);
    expect([secret.status, website.status]).toEqual([303, 303]);
  });
});
