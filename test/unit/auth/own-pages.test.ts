import { describe, expect, it } from 'vitest';
import { httpAccessOf, withNames } from '../../../src/http/access.ts';
import { authorizePath, BASE, Browser, createDesk, pkce, register } from './fixture.ts';

const NONE = { base_url: null, allowed_hosts: null, allowed_origins: null };
/** A server on this machine, behind a proxy that passes on the name. */
const BEHIND_PROXY = withNames(httpAccessOf({ host: '127.0.0.1', signIn: true }), {
  ...NONE,
  allowed_hosts: ['svc.example'],
});
/** A server that everybody reaches, and that the pages of one site may call. */
const FOR_A_SITE = withNames(httpAccessOf({ host: '0.0.0.0', signIn: true }), {
  ...NONE,
  allowed_origins: ['https://app.example.org'],
});

describe('the page that asks for consent', () => {
  it.each([
    ['behind a proxy', BEHIND_PROXY],
    ['of a server for pages of one site', FOR_A_SITE],
  ])('may be answered, with the Origin that a browser sends: %s', async (_, access) => {
    const desk = createDesk({ http: { base_url: null }, app: { access: access } });
    const browser = new Browser(desk);
    const { client_id } = await register(desk);
    const page = await browser.go(authorizePath(client_id, pkce().challenge));
    const text = await page.text();
    const foreign = await browser.answer(text, 'allow', { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect(await foreign.text()).toContain('does not answer to the origin');
    const answer = await browser.answer(text, 'allow', { origin: BASE });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toContain(desk.idp.origin);
  });
});
