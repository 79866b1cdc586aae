import { describe, expect, it } from 'vitest';
import { createKeyRing, type Purpose, parseKeys } from '../../../src/crypto/keys.ts';
import { createSealer } from '../../../src/crypto/seal.ts';
import {
  authorizePath,
  BASE,
  Browser,
  COOKIES,
  call,
  createDesk,
  KEY,
  login,
  pkce,
  REDIRECT,
  register,
  tokens,
} from './fixture.ts';
import { createMemoryStore } from './memory-store.ts';

const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error;
const withStore = () => createDesk({ parts: { store: createMemoryStore(() => Date.UTC(2026, 5, 1)) } });

const cookieOf = ({ cookies }: Browser, kind: string) =>
  [...cookies].find(([name]) => name.startsWith(`${COOKIES}-${kind}-`))?.[1] ?? '';

/** Every artefact that this server gives out, from real logins. */
async function artefacts() {
  const desk = withStore();
  desk.idp.expiresIn = 3_600;
  const bare = createDesk({ idp: desk.idp });
  const dcr = await register(desk, { token_endpoint_auth_method: 'client_secret_basic' });
  const browser = new Browser(desk);
  const { client_id, code } = await login(desk, {}, browser);
  const page = await (
    await browser.go(authorizePath(client_id, pkce().challenge, { scope: 'sales:read' }))
  ).text();
  const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? '';
  await browser.go(authorizePath(client_id, pkce().challenge));
  const tx = cookieOf(browser, 'tx');
  const kept = await tokens(desk);
  const whole = await tokens(bare);
  return {
    desk,
    client_id,
    owner: kept.client_id,
    all: {
      'an access token': whole.access_token,
      'a handle': kept.access_token,
      'a refresh token': kept.refresh_token,
      'a code': code,
      'a ticket': ticket,
      'a trip': tx,
      'a consent': cookieOf(browser, 'consent'),
      'a list of sessions': cookieOf(browser, 'sessions'),
      'a client id': dcr.client_id,
      'a client secret': dcr.client_secret ?? '',
    },
  };
}

describe('each artefact in the place of every other', async () => {
  const { desk, client_id, owner, all } = await artefacts();
  const rows = Object.entries(all);

  it('is there', () => {
    for (const [name, value] of rows) expect([name, value.length > 40]).toEqual([name, true]);
  });

  it.each(rows)('%s', async (name, value) => {
    const token = name === 'a handle' || name === 'an access token';
    expect((await call(desk, value)).status).toBe(token ? 200 : 401);
    const code = { grant_type: 'authorization_code', client_id, code: value, redirect_uri: REDIRECT };
    expect(await errorOf(await desk.form('/token', { ...code, code_verifier: 'v'.repeat(43) }))).toBe(
      'invalid_grant',
    );
    const refresh = { grant_type: 'refresh_token', client_id: owner, refresh_token: value };
    const refreshed = await errorOf(await desk.form('/token', refresh));
    expect(refreshed).toBe(name === 'a refresh token' ? undefined : 'invalid_grant');
    const known = await desk.fetch(authorizePath(value, pkce().challenge));
    expect(known.status).toBe(name === 'a client id' ? 200 : 400);
    const answered = await desk.form(
      '/authorize',
      { ticket: value, answer: 'allow' },
      { cookie: `${COOKIES}-browser-x=${'b'.repeat(22)}` },
    );
    expect(answered.status).toBe(name === 'a ticket' ? 403 : 400);
    const state = 's'.repeat(22);
    const headers = { cookie: `${COOKIES}-tx-${state}=${value}` };
    const back = await desk.fetch(`/callback?state=${state}&code=x`, { headers });
    expect(back.status).toBe(name === 'a trip' ? 303 : 400);
  });
});

describe('noise', () => {
  const PURPOSES: readonly Purpose[] = ['access', 'code', 'refresh', 'ticket', 'tx'];

  it('in every place is an error that clients understand', async () => {
    const desk = withStore();
    const texts = [
      '',
      'null',
      '{}',
      '%',
      '%00',
      '\u0000',
      'a'.repeat(70_000),
      '=&=&',
      'client_id[]=x',
      '\u{1F600}',
    ];
    const paths = ['/token', '/revoke', '/register', '/authorize', '/logout', '/callback'];
    const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain', ''];
    for (const path of paths) {
      for (const type of types) {
        for (const body of texts) {
          const response = await desk.fetch(path, {
            method: 'POST',
            headers: { 'content-type': type },
            body,
          });
          expect([path, type, body.slice(0, 20), response.status < 500]).toEqual([
            path,
            type,
            body.slice(0, 20),
            true,
          ]);
        }
      }
      for (const text of texts) {
        const query = encodeURIComponent(text);
        for (const name of ['client_id', 'state', 'code', 'redirect_uri']) {
          const response = await desk.fetch(`${path}?${name}=${query}`);
          expect([path, name, response.status < 500]).toEqual([path, name, true]);
        }
      }
    }
  });

  it('that our own key sealed is refused too', async () => {
    const desk = withStore();
    const ring = createKeyRing(parseKeys([KEY]));
    const sealer = createSealer({ ring, now: () => desk.clock.ms, notBefore: null });
    for (const purpose of PURPOSES) {
      for (const claims of [{}, { sc: 1 }, { h: null }]) {
        const text = await sealer.seal(purpose, BASE, claims, 60);
        expect((await call(desk, text)).status).toBe(401);
        const known = { client_id: 'known', client_secret: 'known-secret' };
        const code = { grant_type: 'authorization_code', code: text, code_verifier: 'v'.repeat(43) };
        expect(await errorOf(await desk.form('/token', { ...known, ...code }))).toBe('invalid_grant');
        const refresh = { grant_type: 'refresh_token', refresh_token: text };
        expect(await errorOf(await desk.form('/token', { ...known, ...refresh }))).toBe('invalid_grant');
      }
    }
  });
});
