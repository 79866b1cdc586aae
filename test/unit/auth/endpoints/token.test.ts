import { describe, expect, it } from 'vitest';
import { call, createDesk, type Desk, login, REDIRECT } from '../fixture.ts';
import { createMemoryStore } from '../memory-store.ts';

const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error;
const withStore = () => createDesk({ parts: { store: createMemoryStore(() => Date.UTC(2026, 5, 1)) } });

/** The same code, ten times at once: the answers that gave tokens. */
async function redeemTen(desk: Desk): Promise<readonly Response[]> {
  const { fields } = await login(desk);
  const all = await Promise.all(Array.from({ length: 10 }, () => desk.form('/token', fields)));
  return all.filter(({ status }) => status === 200);
}

describe('a code', () => {
  const redeem = async (change: Record<string, string>, desk = createDesk()) => {
    const { fields } = await login(desk);
    const before = desk.idp.asked.length;
    const refused = await desk.form('/token', { ...fields, ...change });
    const asked = desk.idp.asked.length - before;
    return { error: await errorOf(refused), asked, again: await desk.form('/token', fields) };
  };

  // Requirements: as.pkce
  it.each([
    ['another verifier', { code_verifier: 'v'.repeat(43) }, 'invalid_grant'],
    ['a verifier that is too short', { code_verifier: 'v' }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['another redirect', { redirect_uri: `${REDIRECT}/` }, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another client', { client_id: 'known', client_secret: 'known-secret' }, 'invalid_grant'],
    ['a client that is none', { client_id: 'nobody' }, 'invalid_client'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('is refused with %s, and the owner can still redeem it', async (_name, change, error) => {
    const { again, ...refused } = await redeem(change);
    expect(refused).toEqual({ error, asked: 0 });
    expect(again.status).toBe(200);
  });

  it('needs no redirect address, which clients of OAuth 2.1 do not send', async () => {
    const desk = createDesk();
    const { redirect_uri: _sent, ...fields } = (await login(desk)).fields;
    expect((await desk.form('/token', fields)).status).toBe(200);
  });

  // Requirements: as.code
  it('counts once, with a store and without', async () => {
    for (const desk of [createDesk(), withStore()]) {
      const { fields } = await login(desk);
      expect((await desk.form('/token', fields)).status).toBe(200);
      expect(await errorOf(await desk.form('/token', fields))).toBe('invalid_grant');
    }
  });

  it('counts once for ten that come at the same time', async () => {
    const desk = createDesk();
    expect(await redeemTen(desk)).toHaveLength(1);
  });

  it('opens nothing that lasts for ten that come at the same time, where there is a store', async () => {
    const desk = withStore();
    const good = await redeemTen(desk);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const response of good) {
      const { access_token } = (await response.json()) as { access_token: string };
      expect((await call(desk, access_token)).status).toBe(401);
    }
  });

  // Requirements: as.code, oauth.endpoints
  it('is over after a minute', async () => {
    const desk = createDesk();
    const { fields } = await login(desk);
    desk.clock.ms += 60_000;
    expect(await errorOf(await desk.form('/token', fields))).toBe('invalid_grant');
  });
});
