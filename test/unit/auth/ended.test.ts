import { describe, expect, it } from 'vitest';
import { call, createDesk, type Desk, login, tokens } from './fixture.ts';
import { createMemoryStore } from './memory-store.ts';

/* The shortest histories in which somebody kept what had been ended; test/unit/auth/histories.test.ts found them. */

/** Two instances over one store, the second with a clock that is ahead by some seconds. */
function twoDesks(seconds: number) {
  const clock = { ms: Date.UTC(2026, 5, 1) };
  const now = () => clock.ms;
  const store = createMemoryStore(now);
  const desk = createDesk({ parts: { store, now } });
  desk.idp.expiresIn = 7_200;
  const ahead = createDesk({ idp: desk.idp, parts: { store, now: () => now() + seconds * 1_000 } });
  return { clock, desk, ahead };
}

const cookieOf = (cookies: ReadonlyMap<string, string>) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

const signOut = (desk: Desk, cookies: ReadonlyMap<string, string>) =>
  desk.fetch('/logout', { method: 'POST', headers: { cookie: cookieOf(cookies) } });

describe('a sign-out', () => {
  // Requirements: oauth.ended
  it('ends a sign-in whose code is not redeemed yet, and its tokens at the provider', async () => {
    const { desk } = twoDesks(0);
    const { fields, browser } = await login(desk);
    expect((await signOut(desk, browser.cookies)).status).toBe(200);
    expect(desk.idp.revoked).toHaveLength(1);
    expect((await desk.form('/token', fields)).status).toBe(400);
  });

  // Requirements: oauth.ended
  it('ends a sign-in whose code is redeemed meanwhile', async () => {
    const { desk } = twoDesks(0);
    const { fields, browser, client_id } = await login(desk);
    const [redeemed] = await Promise.all([desk.form('/token', fields), signOut(desk, browser.cookies)]);
    const { refresh_token = 'none' } = (await redeemed.json()) as Record<string, string>;
    const form = { grant_type: 'refresh_token', client_id, refresh_token };
    expect((await desk.form('/token', form)).status).toBe(400);
  });

  // Requirements: oauth.ended
  it('at an instance whose clock is behind ends what others have opened', async () => {
    const { desk: behind, ahead } = twoDesks(60);
    const { access_token, browser } = await tokens(ahead);
    expect((await call(ahead, access_token)).status).toBe(200);
    expect((await signOut(behind, browser.cookies)).status).toBe(200);
    expect((await call(ahead, access_token)).status).toBe(401);
  });
});

describe('a revocation', () => {
  // Requirements: oauth.ended
  it.each(['access_token', 'refresh_token'] as const)(
    'of an %s counts at a clock that is behind',
    async (kind) => {
      const { desk: behind, ahead } = twoDesks(60);
      const { client_id, access_token, ...rest } = await tokens(ahead);
      const token = kind === 'access_token' ? access_token : rest.refresh_token;
      expect((await behind.form('/revoke', { client_id, token })).status).toBe(200);
      expect((await call(ahead, access_token)).status).toBe(401);
    },
  );

  // Requirements: oauth.ended
  it('of an expired access token ends its session', async () => {
    const { desk, clock } = twoDesks(0);
    const { client_id, access_token, refresh_token } = await tokens(desk);
    clock.ms += 3_600_000;
    expect((await call(desk, access_token)).status).toBe(401);
    expect((await desk.form('/revoke', { client_id, token: access_token })).status).toBe(200);
    const form = { grant_type: 'refresh_token', client_id, refresh_token };
    expect((await desk.form('/token', form)).status).toBe(400);
  });
});
