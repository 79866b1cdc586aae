import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Provider, UpstreamTokens } from '../../../../src/auth/upstream/provider.ts';
import { createKeycloakIdp, type KeycloakIdp } from '../../../idp/keycloak.ts';
import { blockOf, failureOf, providerOf, signal, TRIP, tokensOf } from './fixture.ts';

let idp: KeycloakIdp;
let provider: Provider;
let tokens: UpstreamTokens;

beforeAll(async () => {
  idp = await createKeycloakIdp();
  const block = blockOf('keycloak', idp.client, { server_url: idp.serverUrl, realm: idp.realm });
  idp.start();
  provider = providerOf(block);
  tokens = await tokensOf(provider);
});
afterAll(() => idp.close());

const identify = (idToken: string, nonce: string | null = TRIP.nonce) =>
  provider.identify({ ...tokens, idToken }, nonce, signal());

function claims(changes: Readonly<Record<string, unknown>> = {}): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  const good = { iss: idp.issuer, aud: 'svc', sub: 'ada', iat: now, exp: now + 60, nonce: TRIP.nonce };
  return Object.fromEntries(
    Object.entries({ ...good, ...changes }).filter(([, value]) => value !== undefined),
  );
}

const NOW = Math.floor(Date.now() / 1000);

test('a good one is good, with several audiences too', async () => {
  expect((await identify(await idp.signer.sign(claims()))).id).toBe('ada');
  const several = claims({ aud: ['svc', 'other'], azp: 'svc' });
  expect((await identify(await idp.signer.sign(several))).id).toBe('ada');
  expect((await identify(await idp.signer.sign(claims({ nonce: undefined })), null)).id).toBe('ada');
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['over', { exp: NOW - 3600 }],
  ['without an end', { exp: undefined }],
  ['not yet good', { nbf: NOW + 3600 }],
  ['for somebody else', { aud: 'other' }],
  ['for several, and nobody in particular', { aud: ['svc', 'other'] }],
  ['for several, by somebody else', { aud: ['svc', 'other'], azp: 'other' }],
  ['about nobody', { sub: undefined }],
  ['about somebody else than user information', { sub: 'eve' }],
  ['of another login', { nonce: 'another' }],
  ['of no login', { nonce: undefined }],
])('one that is %s is refused', async (_name, changes) => {
  await failureOf(identify(await idp.signer.sign(claims(changes))), 'login_refused');
});

test('one of another issuer is for the operator to look at', async () => {
  await failureOf(identify(await idp.signer.sign(claims({ iss: 'https://evil.example' }))), 'config_invalid');
});

test('one that the server did not sign is refused', async () => {
  const { privateKey } = await generateKeyPair('RS256');
  const forged = new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: 'k1' });
  await failureOf(identify(await forged.sign(privateKey)), 'login_refused');
  await failureOf(identify(new UnsecuredJWT(claims()).encode()), 'login_refused');
  // a public key as an HMAC secret
  const secret = new TextEncoder().encode(JSON.stringify(idp.signer.jwks.keys[0]));
  const confused = new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'k1' });
  await failureOf(identify(await confused.sign(secret)), 'login_refused');
  for (const token of ['', 'a.b.c', 'planted', `${await idp.signer.sign(claims())}x`]) {
    await failureOf(identify(token), 'login_refused');
  }
});

test('a key that nobody knows does not make us ask again and again', async () => {
  const { privateKey } = await generateKeyPair('RS256');
  const before = idp.requests.length;
  for (let count = 0; count < 5; count += 1) {
    const unknown = new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: `unknown-${count}` });
    // The provider may have changed its keys since we read them.
    await failureOf(identify(await unknown.sign(privateKey)), 'login_unavailable');
  }
  const asked = idp.requests.slice(before).filter((route) => route.endsWith('/certs'));
  expect(asked.length).toBeLessThan(2);
});
