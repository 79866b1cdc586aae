import { describe, expect, it } from 'vitest';
import { authorizePath, Browser, createDesk, type Desk, pkce, register } from '../fixture.ts';

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

  it('shows what a client calls itself as text', async () => {
    const name = `<script>alert(1)</script>"'&\u202Egnp.exe\u0000`;
    const { page } = await open(createDesk(), { client_name: name });
    expect(page).not.toContain('<script');
    expect(page).not.toContain('\u202E');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
  });

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

  it.each([
    ['another browser', (browser: Browser) => browser.cookies.set('__Host-svc-browser', 'x'.repeat(22)), {}],
    ['a browser without its cookie', (browser: Browser) => browser.cookies.clear(), {}],
    ['a page of another site', () => {}, { 'sec-fetch-site': 'cross-site' }],
    ['a page of a sibling site', () => {}, { 'sec-fetch-site': 'same-site' }],
    ['nowhere', () => {}, { 'sec-fetch-site': 'none' }],
  ])('takes no answer from %s', async (_name, change, headers) => {
    const { browser, page } = await open(createDesk());
    change(browser);
    expect((await browser.answer(page, 'allow', headers as Record<string, string>)).status).toBe(403);
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
    expect(response.headers.get('location')).toContain('error=access_denied');
  });
});
