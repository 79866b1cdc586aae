import { CompactSign, compactVerify } from 'jose';
import * as v from 'valibot';
import { isSameSecret, randomText, sha256Base64Url } from '../../crypto/digest.ts';
import { fromBase64Url, isCanonicalBase64Url, toBase64Url } from '../../crypto/encoding.ts';
import type { KeyRing } from '../../crypto/keys.ts';
import type { Scopes } from '../scopes.ts';
import type { ClientMethod, OAuthClient } from '../types.ts';

/** The registration inside a client id, so that nothing is stored. */
const REGISTRATION = v.object({
  n: v.string(),
  r: v.array(v.string()),
  g: v.array(v.picklist(['authorization_code', 'refresh_token'])),
  m: v.picklist(['none', 'secret', 'client_secret_basic', 'client_secret_post']),
  s: v.array(v.string()),
  t: v.number(),
  /** Random, so that no two clients share an id, a secret or a consent. Ids of earlier versions lack it. */
  i: v.optional(v.string()),
});

type Registration = Omit<v.InferOutput<typeof REGISTRATION>, 'i'>;

const PREFIX = 'dcr_';
const TYPE = 'svc-client+jws';

/** Whether a client id has the form of an issued one. */
export function isDynamicId(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** Makes a new client id for a registration (RFC 7591). It is public and signed, so only this server can make or change it. */
export async function toClientId(ring: KeyRing, issuer: string, registration: Registration): Promise<string> {
  const key = await ring.derive(ring.first.kid, 'client', issuer);
  const jws = await new CompactSign(
    new TextEncoder().encode(JSON.stringify({ ...registration, i: randomText(16) })),
  )
    .setProtectedHeader({ alg: 'HS256', kid: ring.first.kid, typ: TYPE })
    .sign(key?.bytes ?? new Uint8Array());
  return `${PREFIX}${jws}`;
}

/** Derives the secret of a dynamic client from its id, so that it is not stored; null for an unknown key. */
export async function toClientSecret(ring: KeyRing, issuer: string, id: string): Promise<string | null> {
  const key = await ring.derive(kidOf(id), 'client-secret', issuer);
  if (key === null) return null;
  const params = { name: 'HMAC', hash: 'SHA-256' };
  const hmac = await crypto.subtle.importKey('raw', key.bytes, params, false, ['sign']);
  return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', hmac, new TextEncoder().encode(id))));
}

/** Reads the client in a client id; null for an id that this server did not issue. */
export async function toDynamicClient(
  { ring, scopes }: { readonly ring: KeyRing; readonly scopes: Scopes },
  issuer: string,
  id: string,
): Promise<OAuthClient | null> {
  const registration = await readId(ring, issuer, id);
  if (registration === null) return null;
  const { n: name, r: redirectUris, g: grantTypes, m: method, s } = registration;
  const own = s.filter((scope) => scopes.all.includes(scope));
  return {
    id,
    hash: await sha256Base64Url(id),
    name,
    kind: 'dynamic',
    redirectUris,
    grantTypes,
    method,
    // Consent decides on the scopes, because a client can register again for others.
    scopes: scopes.all,
    defaultScopes: own.length > 0 ? own : scopes.basic,
    ...secretOf(method, () => toClientSecret(ring, issuer, id)),
  };
}

function secretOf(method: ClientMethod, find: () => Promise<string | null>): Pick<OAuthClient, 'isSecret'> {
  if (method === 'none') return {};
  return {
    isSecret: async (secret) => {
      const own = await find();
      return own !== null && isSameSecret(secret, own);
    },
  };
}

async function readId(ring: KeyRing, issuer: string, id: string): Promise<Registration | null> {
  const key = await ring.derive(kidOf(id), 'client', issuer);
  if (key === null) return null;
  try {
    const jws = id.slice(PREFIX.length);
    const { payload, protectedHeader } = await compactVerify(jws, key.bytes, { algorithms: ['HS256'] });
    // Accepts one spelling and one type, so that no other text signed by us counts as a client id.
    if (protectedHeader.typ !== TYPE || !jws.split('.').every(isCanonicalBase64Url)) return null;
    const parsed = v.safeParse(REGISTRATION, JSON.parse(new TextDecoder().decode(payload)));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}

function kidOf(id: string): string {
  try {
    const [header = ''] = id.slice(PREFIX.length).split('.');
    const { kid }: { kid?: unknown } = JSON.parse(
      new TextDecoder().decode(fromBase64Url(header) ?? new Uint8Array()),
    );
    return typeof kid === 'string' ? kid : '';
  } catch {
    return '';
  }
}
