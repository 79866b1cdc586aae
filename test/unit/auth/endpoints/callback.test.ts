import { describe, expect, it } from 'vitest';
import { authorizePath, Browser, createDesk, pkce, REDIRECT } from '../fixture.ts';

describe('the callback', () => {
  const start = async () => {
    const desk = createDesk();
    const browser = new Browser(desk);
    const away = await browser.go(authorizePath('known', pkce().challenge));
    const back =
      desk.idp.authorize(new URL(away.headers.get('location') ?? '')).headers.get('location') ?? '';
    return { desk, browser, back };
  };

  // Requirements: oauth.callback
  it('is for the browser that left', async () => {
    const { desk, browser, back } = await start();
    expect((await desk.fetch(back)).status).toBe(400);
    expect((await new Browser(desk).go(back)).status).toBe(400);
    const other = new Browser(desk);
    await other.go(authorizePath('known', pkce().challenge));
    expect((await other.go(back)).status).toBe(400);
    expect((await browser.go(back)).status).toBe(303);
  });

  it('D25: is for once: its cookie is gone', async () => {
    const { browser, back } = await start();
    expect((await browser.go(back)).status).toBe(303);
    expect((await browser.go(back)).status).toBe(400);
  });

  it.each(['', '?state=', '?state=unknown&code=x', `?state=${'x'.repeat(22)}&code=x`, '?code=x', '?error=x'])(
    'D25: without a login that it belongs to is a page, never a 500: %s',
    async (query) => {
      const response = await createDesk().fetch(`/callback${query}`);
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(response.headers.get('content-type')).toContain('text/html');
    },
  );

  it('ignores parameters of the provider that it does not know, also long and repeated ones', async () => {
    const { browser, back } = await start();
    const more = `&scope=${'https://www.googleapis.com/auth/drive+'.repeat(80)}&authuser=0&authuser=1`;
    const response = await browser.go(`${back}${more}`);
    expect(
      new URL(response.headers.get('location') ?? 'about:blank').searchParams.get('code'),
    ).not.toBeNull();
  });

  it.each(['code', 'state', 'error'])('refuses a repeated %s', async (name) => {
    const { browser, back } = await start();
    const response = await browser.go(`${back}&${name}=x&${name}=y`);
    const location = response.headers.get('location');
    expect(location === null ? response.status : new URL(location).searchParams.get('error')).toEqual(
      name === 'state' ? 400 : 'invalid_request',
    );
  });

  it('fits into a cookie, or the client is told at once', async () => {
    const desk = createDesk();
    const asked = (state: string) => desk.fetch(authorizePath('known', pkce().challenge, { state }));
    const fits = await asked('x'.repeat(1_024));
    expect(fits.headers.getSetCookie().join().length).toBeLessThan(4_096);
    expect(fits.headers.get('location')).toContain(desk.idp.origin);
    const large = await asked('漢'.repeat(1_024));
    const back = new URL(large.headers.get('location') ?? '');
    expect([back.origin, back.searchParams.get('error')]).toEqual([
      new URL(REDIRECT).origin,
      'invalid_request',
    ]);
    expect(large.headers.getSetCookie()).toEqual([]);
  });

  it('is over after ten minutes', async () => {
    const { desk, browser, back } = await start();
    desk.clock.ms += 600_000;
    expect((await browser.go(back)).status).toBe(400);
  });

  it('lets a browser sign in on four pages side by side', async () => {
    const desk = createDesk();
    const browser = new Browser(desk);
    const backs: string[] = [];
    for (let tab = 0; tab < 6; tab += 1) {
      const away = await browser.go(authorizePath('known', pkce().challenge));
      backs.push(
        desk.idp.authorize(new URL(away.headers.get('location') ?? '')).headers.get('location') ?? '',
      );
    }
    const ended: number[] = [];
    for (const back of backs) ended.push((await browser.go(back)).status);
    expect(ended).toEqual([400, 400, 303, 303, 303, 303]);
  });
});
