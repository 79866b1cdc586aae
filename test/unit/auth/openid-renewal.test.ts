import { expect, it } from 'vitest';
import { call, createDesk, tokens } from './fixture.ts';
import { createMemoryStore } from './memory-store.ts';
import { createOpenIdIdp } from './openid-idp.ts';

/** A server with a store, its provider, and the time of both. */
async function create() {
  const idp = await createOpenIdIdp();
  const store = createMemoryStore(() => idp.now());
  const desk = createDesk({ idp, auth: { provider: idp.provider }, parts: { store } });
  idp.now = () => desk.clock.ms;
  idp.expiresIn = 600;
  const refresh = (client_id: string, refresh_token: string) =>
    desk.form('/token', { grant_type: 'refresh_token', client_id, refresh_token });
  return { idp, desk, refresh };
}

it('a refresh without an id token keeps what the session knows where there is no user information', async () => {
  const { idp, desk, refresh } = await create();
  Object.assign(idp, { userinfo: null, refreshesId: false });
  const { access_token, client_id, refresh_token } = await tokens(desk);
  await call(desk, access_token);
  desk.clock.ms += 545_000;
  expect((await call(desk, access_token)).status).toBe(200);
  const [before, after] = desk.users;
  expect(after).toEqual({ ...before, externalToken: expect.stringMatching(/^ghu_/) });
  expect(after?.externalToken).not.toBe(before?.externalToken);
  expect((await refresh(client_id, refresh_token)).status).toBe(200);
});

it('so does our refresh token where the provider gave none of its own', async () => {
  const { idp, desk, refresh } = await create();
  Object.assign(idp, { userinfo: null, expiresIn: null });
  const { client_id, refresh_token } = await tokens(desk);
  const answer = await refresh(client_id, refresh_token);
  expect(answer.status).toBe(200);
  const { access_token } = (await answer.json()) as { access_token: string };
  expect((await call(desk, access_token)).status).toBe(200);
});

it('a refresh with an id token tells the new facts without user information', async () => {
  const { idp, desk } = await create();
  Object.assign(idp, { userinfo: null });
  const { access_token } = await tokens(desk);
  idp.claims = { ...idp.claims, name: 'Countess of Lovelace' };
  desk.clock.ms += 545_000;
  await call(desk, access_token);
  expect(desk.users[0]?.name).toBe('Countess of Lovelace');
});

it('an id token that expires while the provider is away is no refusal', async () => {
  const { idp, desk } = await create();
  const { access_token } = await tokens(desk);
  desk.clock.ms += 545_000;
  idp.userinfo = 503;
  expect((await call(desk, access_token)).status).toBe(200);
  idp.userinfo = 200;
  idp.claims = { ...idp.claims, name: 'Countess of Lovelace' };
  // The id token is over, the access token is not.
  desk.clock.ms += 100_000;
  expect((await call(desk, access_token)).status).toBe(200);
  expect(desk.users.map((user) => user?.name)).toEqual(['Ada Lovelace', 'Countess of Lovelace']);
});
