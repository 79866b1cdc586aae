import { CompactSign, compactVerify } from 'jose';
import * as v from 'valibot';
import { isSameSecret, sha256Base64Url } from '../../crypto/digest.ts';
import { fromBase64Url, isCanonicalBase64Url, toBase64Url } from '../../crypto/encoding.ts';
import type { KeyRing } from '../../crypto/keys.ts';
import type { Scopes } from '../scopes.ts';
import type { ClientMethod, OAuthClient } from './model.ts';

/** What a client id of ours carries: nothing of a registration is stored. */
const REGISTRATION = v.object({
  n: v.string(),
  r: v.array(v.string()),
  g: v.array(v.picklist(['authorization_code', 'refresh_token'])),
  m: v.picklist(['none', 'secret', 'client_secret_basic', 'client_secret_post']),
  s: v.array(v.string()),
  t: v.number(),
});

export type Registration = v.InferOutput<typeof REGISTRATION>;

const PREFIX = 'dcr_';
const TYPE = 'svc-client+jws';

/** Whether an id looks like one of ours. */
export function isDynamicId(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** The id of a registration: public data that nobody else can make or change (RFC 7591). */
export async function toClientId(ring: KeyRing, issuer: string, registration: Registration): Promise<string> {
  const key = await ring.derive(ring.first.kid, 'client', issuer);
  const jws = await new CompactSign(new TextEncoder().encode(JSON.stringify(registration)))
    .setProtectedHeader({ alg: 'HS256', kid: ring.first.kid, typ: TYPE })
    .sign(key?.bytes ?? new Uint8Array());
  return `${PREFIX}${jws}`;
}

/** The secret of a dynamic client: derived from its id, so it is stored nowhere. */
export async function toClientSecret(ring: KeyRing, issuer: string, id: string): Promise<string | null> {
  const key = await ring.derive(kidOf(id), 'client-secret', issuer);
  if (key === null) return null;
  const params = { name: 'HMAC', hash: 'SHA-256' };
  const hmac = await crypto.subtle.importKey('raw', key.bytes, params, false, ['sign']);
  return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', hmac, new TextEncoder().encode(id))));
}

/** The client of an id; null for one that this server has not given out. */
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
    // Anybody can register again for other scopes: consent decides on them, not the registration.
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
    // One spelling only, and one type: a signature of ours under anything else is no client id.
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
