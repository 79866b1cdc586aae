import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { isObject } from '../../json.ts';
import { unavailable } from './errors.ts';
import { objectsOf } from './field.ts';
import type { SendToProvider } from './request.ts';

const TEN_MINUTES_MS = 600_000;
/** The least milliseconds between two requests for the keys, which an unknown key id triggers. */
const COOLDOWN_MS = 30_000;
const MAX_KEYS = 100;

/** Returns the keys at an address, which discovery may change. Only the keys of the latest address are cached. */
export function createKeysAt(provider: string, ask: SendToProvider): (url: string) => JWTVerifyGetKey {
  let last: { readonly url: string; readonly keys: JWTVerifyGetKey } | null = null;
  return (url) => {
    last = last?.url === url ? last : { url, keys: createKeys(provider, url, ask) };
    return last.keys;
  };
}

/** A provider's public keys (RFC 7517), cached for ten minutes. */
export function createKeys(provider: string, url: string, ask: SendToProvider): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(url), {
    cacheMaxAge: TEN_MINUTES_MS,
    cooldownDuration: COOLDOWN_MS,
    [customFetch]: async (target, { signal }) => {
      const step = { provider, what: 'its keys' };
      const { status, body } = await ask({ ...step, url: target, signal });
      const keys = isObject(body) ? objectsOf(body.keys) : [];
      if (status !== 200 || keys.length === 0) throw unavailable(step, `answered ${status} without keys`);
      if (keys.length > MAX_KEYS) throw unavailable(step, `sent more than ${MAX_KEYS} keys`);
      return Response.json({ keys });
    },
  });
}
