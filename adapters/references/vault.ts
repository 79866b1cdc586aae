import { isObject } from '../../src/json.ts';
import type { SecretReference } from '../../src/ports.ts';
import type { VaultConnection } from '../../src/settings/references/connections.ts';
import { readToken, type Variables } from './environment.ts';
import { requestSecret, type SecretResponse } from './http.ts';
import { unresolved } from './unresolved.ts';

type VaultReference = Extract<SecretReference, { readonly scheme: 'vault' }>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Creates a reader of secrets in HashiCorp Vault or OpenBao: KV version 2, then version 1. Each path is read
 * once. It throws `reference_unresolved`.
 */
export function createVault(connection: VaultConnection | null, variables: Variables) {
  const read = new Map<string, Promise<Fields>>();
  return async ({ path, field }: VaultReference, signal: AbortSignal): Promise<string> => {
    if (connection === null) throw OFF;
    const fields = read.get(path) ?? readPath(connection, variables, path, signal);
    read.set(path, fields);
    return toText(await fields, field);
  };
}

const OFF = unresolved(
  'needs Vault, which is not switched on.',
  'Set `vault.enabled: true` and `vault.address` in the user file.',
);

async function readPath(
  connection: VaultConnection,
  variables: Variables,
  path: string,
  signal: AbortSignal,
): Promise<Fields> {
  const { address, tokenVariable, namespace } = connection;
  if (!/^https?:\/\//.test(address)) {
    throw unresolved('needs Vault, which has no address.', 'Set `vault.address`, or VAULT_ADDR.');
  }
  const headers = {
    'x-vault-token': readToken(variables, tokenVariable),
    'x-vault-request': 'true',
    ...(namespace === null ? {} : { 'x-vault-namespace': namespace }),
  };
  const get = (where: string) =>
    requestSecret({ name: 'Vault', base: address, path: where, headers, signal });
  const [mount = '', ...rest] = path.split('/').map(encodeURIComponent);
  const second = await get(`/v1/${mount}/data/${rest.join('/')}`);
  const found = fieldsOfSecond(second);
  if (found !== null) return found;
  if (second.status >= 500 || second.status === 429) throw refusal(second.status);
  const first = await get(`/v1/${[mount, ...rest].join('/')}`);
  // A path that contains `data` itself is one of version 2 too.
  const other = fieldsOfSecond(first) ?? fieldsOfFirst(first);
  if (other !== null) return other;
  throw refusal(worse(second.status, first.status));
}

/**
 * Chooses the status to report. A policy for version 2 rejects requests of version 1, so their 403 says
 * nothing.
 */
function worse(second: number, first: number): number {
  return first === 403 || first === 200 ? second : first;
}

function fieldsOfSecond({ status, body }: SecretResponse): Fields | null {
  const outer = status === 200 ? mapOf(body, 'data') : null;
  return outer !== null && 'metadata' in outer ? mapOf(outer, 'data') : null;
}

function fieldsOfFirst({ status, body }: SecretResponse): Fields | null {
  return status === 200 ? mapOf(body, 'data') : null;
}

function mapOf(value: unknown, key: string): Fields | null {
  const found = isObject(value) ? value[key] : null;
  return isObject(found) ? found : null;
}

function toText(fields: Fields, field: string): string {
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (typeof value === 'string') return value;
  if (value !== undefined && value !== null) return JSON.stringify(value);
  throw unresolved(
    `names the field ${field}, which the secret in Vault does not have.`,
    `Name one of its fields: ${Object.keys(fields).join(', ') || 'there are none'}.`,
  );
}

function refusal(status: number): Error {
  if (status === 404) {
    return unresolved('does not exist in Vault (404).', 'Check the path: vault://<mount>/<path>#<field>.');
  }
  if (status === 403 || status === 401) {
    return unresolved(
      `is rejected by Vault (${status}).`,
      'Check the token, its policy for this path, and `vault.namespace`.',
    );
  }
  const what =
    status === 503
      ? 'needs Vault, which is sealed or in standby (503).'
      : `could not be read from Vault (${status}).`;
  return unresolved(what, 'Check the state of Vault, then try again.');
}
