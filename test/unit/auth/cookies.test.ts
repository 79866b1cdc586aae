import { describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/crypto/keys.ts';
import { authorizePath, BASE, Browser, call, createDesk, type Desk, login, pkce } from './fixture.ts';
import { createMemoryStore } from './memory-store.ts';

/** A server at an address, behind a proxy that removes the path of the address. */
function serverAt(base_url: string): Desk {
  const parts = { store: createMemoryStore(() => Date.UTC(2026, 5, 1)) };
  const base = new URL(base_url).origin;
  const desk = createDesk({ auth: { keys: [generateKey()] }, http: { base_url }, base, parts });
  return { ...desk, base: base_url, fetch: (path, init) => desk.fetch(path.replace(base_url, ''), init) };
}

describe('two servers on one host, whose browsers send all cookies to both', () => {
  it.each([
    ['port', 'https://svc.example:8443'],
    ['path', `${BASE}/other`],
  ])('keep their own, at another %s', async (_name, address) => {
    const [one, other] = [serverAt(BASE), serverAt(address)];
    const browser = new Browser(one);
    const at = (desk: Desk) => Object.assign(browser, { desk });
    const signIn = async (desk: Desk) => {
      const { fields } = await login(desk, {}, at(desk));
      return ((await (await desk.form('/token', fields)).json()) as { access_token: string }).access_token;
    };
    const signOut = (desk: Desk) => at(desk).go('/logout', { method: 'POST' });
    const token = await signIn(one);
    const begun = await browser.go(authorizePath('known', pkce().challenge));
    const foreign = await signIn(other);
    await signOut(other);
    expect([(await call(one, token)).status, (await call(other, foreign)).status]).toEqual([200, 401]);
    expect((await at(one).finish(begun)).searchParams.get('code')).not.toBeNull();
    await signOut(one);
    expect((await call(one, token)).status).toBe(401);
    expect([...browser.cookies.keys()]).toEqual([]);
  });
});
