import { base64url, CompactSign } from 'jose';
import { describe, expect, it } from 'vitest';
import { toClientId } from '../../../../src/auth/clients/dynamic.ts';
import type { FetchDocument } from '../../../../src/auth/types.ts';
import { createKeyRing, generateKey, parseKeys } from '../../../../src/crypto/keys.ts';
import { SvcError } from '../../../../src/errors.ts';
import {
  authorizePath,
  BASE,
  Browser,
  createDesk,
  KEY,
  login,
  pkce,
  REDIRECT,
  register,
} from '../fixture.ts';
import { createMemoryStore } from '../memory-store.ts';

describe('a client id', () => {
  it('is refused when anything in it is changed, or another key signed it', async () => {
    const desk = createDesk();
    const { client_id } = await register(desk);
    const [header = '', payload = '', signature = ''] = client_id.slice(4).split('.');
    const other = JSON.stringify({
      ...JSON.parse(new TextDecoder().decode(base64url.decode(payload))),
      n: 'Other',
    });
    const none = base64url.encode(JSON.stringify({ alg: 'none', kid: KEY.kid, typ: 'svc-client+jws' }));
    const foreign = createKeyRing(parseKeys([{ ...generateKey(), kid: KEY.kid }]));
    const registration = {
      n: 'x',
      r: [REDIRECT],
      g: ['authorization_code' as const],
      m: 'none' as const,
      s: [],
      t: 1,
    };
    const ids = [
      `dcr_${header}.${base64url.encode(other)}.${signature}`,
      `dcr_${none}.${payload}.`,
      `dcr_${none}.${payload}.${signature}`,
      `dcr_${header}.${payload}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      `dcr_${header}.${payload}`,
      'dcr_',
      'dcr_...',
      await toClientId(foreign, BASE, registration),
      await toClientId(createKeyRing(parseKeys([KEY])), 'https://other.example', registration),
    ];
    for (const id of ids) {
      const response = await desk.fetch(authorizePath(id, pkce().challenge));
      expect([id, response.status]).toEqual([id, 400]);
    }
  });

  // Requirements: as.dcr.new
  it('and its secret are new for each registration, also of the same metadata in the same second', async () => {
    const desk = createDesk();
    const again = { token_endpoint_auth_method: 'client_secret_basic' };
    const all = [await register(desk, again), await register(desk, again), await register(desk, again)];
    expect(new Set(all.map(({ client_id_issued_at }) => client_id_issued_at)).size).toBe(1);
    expect(new Set(all.map(({ client_id }) => client_id)).size).toBe(3);
    expect(new Set(all.map(({ client_secret }) => client_secret)).size).toBe(3);
  });

  it('of an earlier version, without random bits, still works', async () => {
    const payload = { n: 'x', r: [REDIRECT], g: ['authorization_code'], m: 'none', s: [], t: 1 };
    const key = await createKeyRing(parseKeys([KEY])).derive(KEY.kid ?? '', 'client', BASE);
    const jws = await new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
      .setProtectedHeader({ alg: 'HS256', kid: KEY.kid ?? '', typ: 'svc-client+jws' })
      .sign(key?.bytes ?? new Uint8Array());
    expect((await createDesk().fetch(authorizePath(`dcr_${jws}`, pkce().challenge))).status).toBe(200);
  });
});

describe('a client that is known by a document', () => {
  const ID = 'https://app.example/client.json';
  const sound = { client_id: ID, client_name: 'App', redirect_uris: [REDIRECT] };
  const desk = (document: unknown, cacheControl: string | null = null) => {
    const fetched: string[] = [];
    const fetchDocument: FetchDocument = async (url) => {
      fetched.push(url.href);
      if (document instanceof Error) throw document;
      const text = typeof document === 'string' ? document : JSON.stringify(document);
      return { text, cacheControl };
    };
    return Object.assign(createDesk({ parts: { fetchDocument } }), { fetched });
  };

  // Requirements: as.cimd
  it('signs in, and the page names its address', async () => {
    const app = desk(sound);
    const page = await app.fetch(authorizePath(ID, pkce().challenge));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(ID)]);
    const { fields } = await login(app, {}, new Browser(app), ID);
    expect((await app.form('/token', fields)).status).toBe(200);
  });

  it.each([
    ['what it says', 'max-age=600', 599, 1],
    ['what it says', 'max-age=600', 601, 2],
    ['a day at most', 'max-age=999999', 86_401, 2],
    ['not at all', 'no-store', 0, 2],
    ['five minutes', null, 301, 2],
  ])('is kept for %s (%s)', async (_name, cacheControl, seconds, times) => {
    const app = desk(sound, cacheControl);
    await app.fetch(authorizePath(ID, pkce().challenge));
    app.clock.ms += seconds * 1_000;
    await app.fetch(authorizePath(ID, pkce().challenge));
    expect(app.fetched).toHaveLength(times);
  });

  // Requirements: as.cimd
  it.each([
    ['another client', { ...sound, client_id: `${ID}x` }],
    ['no name', { ...sound, client_name: undefined }],
    ['no redirect', { ...sound, redirect_uris: [] }],
    ['a redirect that runs', { ...sound, redirect_uris: ['javascript:alert(1)', REDIRECT] }],
    ['a secret', { ...sound, client_secret: 'x' }],
    [
      'a way to prove itself that is not offered',
      { ...sound, token_endpoint_auth_method: 'private_key_jwt' },
    ],
    ['a list', []],
    ['no JSON', '<html>'],
    ['nothing, because it was refused', new SvcError('client_invalid', 'not public')],
  ])('is refused when its document has %s', async (_name, document) => {
    const response = await desk(document).fetch(authorizePath(ID, pkce().challenge));
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  it('that cannot be fetched is not told to register again, and the log has the cause', async () => {
    const app = desk(new Error('planted network error'));
    expect((await app.fetch(authorizePath(ID, pkce().challenge))).status).toBe(503);
    const answer = await app.form('/token', {
      grant_type: 'refresh_token',
      client_id: ID,
      refresh_token: 'x',
    });
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: 'temporarily_unavailable' }]);
    const failed = { level: 'error', message: expect.stringContaining('could not be fetched') };
    const fields = { causes: ['planted network error'] };
    expect(app.lines).toMatchObject(Array(2).fill({ ...failed, fields }));
  });

  it('keeps its tokens for that day beside the documents of many others, while it is used', async () => {
    let isDown = false;
    const fetchDocument: FetchDocument = async ({ href }) => {
      if (isDown && href === ID) throw new Error('503');
      return { text: JSON.stringify({ ...sound, client_id: href }), cacheControl: null };
    };
    const app = createDesk({ parts: { fetchDocument } });
    const revoke = async () => (await app.form('/revoke', { client_id: ID, token: 'unknown' })).status;
    expect(await revoke()).toBe(200);
    isDown = true;
    app.clock.ms += 3_600_000;
    for (let index = 0; index < 300; index += 1) {
      const other = `https://other-${index}.example/client.json`;
      expect((await app.fetch(authorizePath(other, pkce().challenge))).status).toBe(200);
      if (index % 100 === 0) expect(await revoke()).toBe(200);
    }
    expect(await revoke()).toBe(200);
  });

  it('keeps its tokens for a day while its document cannot be fetched, but signs nobody in', async () => {
    let fault: Error | null = null;
    const text = JSON.stringify({ ...sound, grant_types: ['authorization_code', 'refresh_token'] });
    const fetchDocument: FetchDocument = async () => {
      if (fault !== null) throw fault;
      return { text, cacheControl: null };
    };
    const clock = { ms: 0 };
    const store = createMemoryStore(() => clock.ms);
    const app = createDesk({ parts: { fetchDocument, store } });
    app.idp.expiresIn = 200_000;
    clock.ms = app.clock.ms;
    const { fields } = await login(app, {}, new Browser(app), ID);
    let { refresh_token } = (await (await app.form('/token', fields)).json()) as { refresh_token: string };
    const refresh = async () => {
      const response = await app.form('/token', {
        grant_type: 'refresh_token',
        client_id: ID,
        refresh_token,
      });
      if (response.status === 200) ({ refresh_token } = (await response.json()) as { refresh_token: string });
      return response.status;
    };
    app.clock.ms += 3_600_000;
    for (fault of [new Error('503'), new SvcError('client_invalid', 'the answer is 404')]) {
      expect(await refresh()).toBe(200);
      const revoked = await app.form('/revoke', { client_id: ID, token: 'unknown' });
      expect(revoked.status).toBe(200);
    }
    expect(app.lines.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('keeps its tokens'),
    );
    expect((await app.fetch(authorizePath(ID, pkce().challenge))).status).toBe(400);
    fault = new Error('503');
    app.clock.ms += 86_400_000;
    expect(await refresh()).toBe(503);
    fault = null;
    expect(await refresh()).toBe(200);
  });

  it.each([
    'http://app.example/client.json',
    'https://app.example/',
    'https://app.example',
    'https://u:p@app.example/c.json',
    'https://app.example/c.json#x',
    'https://app.example/../c.json',
    'https://app.example/a/./c.json',
    'https://app.example/%2e%2e/c.json',
    'https://[::1]/c.json',
    'file:///etc/passwd',
  ])('is not asked for at %s', async (id) => {
    const app = desk(sound);
    expect((await app.fetch(authorizePath(id, pkce().challenge))).status).toBe(400);
    expect(app.fetched).toEqual([]);
  });

  it('is not asked for at all where that is not safe', async () => {
    const response = await createDesk().fetch(authorizePath(ID, pkce().challenge));
    expect(response.status).toBe(400);
  });
});
