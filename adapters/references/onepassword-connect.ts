import type { SecretReference } from '../../src/ports.ts';
import { requestSecret, type SecretResponse } from './http.ts';
import { unresolved } from './unresolved.ts';

/** A reference to a field of 1Password. */
export type OpReference = Extract<SecretReference, { readonly scheme: 'op' }>;

interface Field {
  readonly id?: unknown;
  readonly label?: unknown;
  readonly type?: unknown;
  readonly value?: unknown;
  readonly totp?: unknown;
  readonly section?: { readonly id?: unknown; readonly label?: unknown };
}

/** The form of 1Password's ids: 26 characters of base32. */
const ID = /^[a-z0-9]{26}$/;

/**
 * Creates a reader of 1Password fields, by name or id, over the REST API of a Connect server. Each item is read
 * once. It throws `reference_unresolved`.
 */
export function createConnect(host: string, token: string) {
  const items = new Map<string, Promise<readonly Field[]>>();
  return async (reference: OpReference, signal: AbortSignal): Promise<string> => {
    const get: Get = (path) =>
      requestSecret({
        name: '1Password Connect',
        base: host,
        path,
        headers: { authorization: `Bearer ${token}` },
        signal,
      });
    const key = JSON.stringify([reference.vault, reference.item]);
    const fields = items.get(key) ?? readItem(get, reference);
    items.set(key, fields);
    return toValue(await fields, reference);
  };
}

type Get = (path: string) => Promise<SecretResponse>;

async function readItem(get: Get, { vault, item }: OpReference): Promise<readonly Field[]> {
  const vaultId = await findId(get, '/v1/vaults', { what: 'vault', key: 'name', name: vault });
  const path = `/v1/vaults/${vaultId}/items`;
  const itemId = await findId(get, path, { what: 'item', key: 'title', name: item });
  const body = bodyOf(await get(`${path}/${itemId}`), 'item');
  const fields: unknown = typeof body === 'object' && body !== null && 'fields' in body ? body.fields : [];
  return Array.isArray(fields) ? fields : [];
}

interface Named {
  readonly what: 'vault' | 'item';
  readonly key: 'name' | 'title';
  readonly name: string;
}

async function findId(get: Get, path: string, { what, key, name }: Named): Promise<string> {
  if (ID.test(name)) return name;
  const filter = encodeURIComponent(`${key} eq ${JSON.stringify(name)}`);
  const found = bodyOf(await get(`${path}?filter=${filter}`), what);
  const same = (Array.isArray(found) ? found : []).filter((one) => one?.[key] === name);
  const [first] = same;
  if (same.length === 1 && typeof first?.id === 'string' && ID.test(first.id)) return first.id;
  throw same.length > 1
    ? unresolved(
        `names ${what === 'item' ? 'an item' : `a ${what}`} that 1Password has ${same.length} times.`,
        `Use the ${what}'s id.`,
      )
    : missing(what);
}

function bodyOf({ status, body }: SecretResponse, what: string): unknown {
  if (status === 200) return body;
  if (status === 404) throw missing(what);
  if (status === 401 || status === 403) {
    throw unresolved(
      `is rejected by 1Password Connect (${status}).`,
      'Check the token and its access to this vault.',
    );
  }
  throw unresolved(
    `could not be read from 1Password Connect (${status}).`,
    'Check the state of the server, then try again.',
  );
}

function missing(what: string): Error {
  return unresolved(
    `names ${what === 'item' ? 'an item' : `a ${what}`} that 1Password does not have.`,
    `Correct the ${what}, or give the token access to it.`,
  );
}

function toValue(fields: readonly Field[], { section, field, otp }: OpReference): string {
  const found = fields.find(
    (one) =>
      (one.id === field || one.label === field) &&
      (section === null || one.section?.id === section || one.section?.label === section),
  );
  if (!found) throw missing('field');
  const value = otp ? found.totp : found.value;
  if (typeof value === 'string') return value;
  throw otp
    ? unresolved(
        'names a field that is not a one-time password.',
        'Remove `?attribute=otp`, or name another field.',
      )
    : unresolved('names a field without a value.', 'Set its value in 1Password.');
}
