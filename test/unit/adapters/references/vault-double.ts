import { type Double, reply, startDouble } from './http-double.ts';

export const VAULT_TOKEN = 'hvs.planted-vault-token';

type Fields = Readonly<Record<string, unknown>>;

/** What a Vault has: secrets of each version by API path, what is refused, what never answers. */
export interface VaultContents {
  readonly v2?: Readonly<Record<string, Fields>>;
  readonly v1?: Readonly<Record<string, Fields>>;
  readonly namespace?: string;
  /** Status by API path. */
  readonly status?: Readonly<Record<string, number>>;
  readonly silent?: readonly string[];
  /** API paths that are sent elsewhere. */
  readonly redirect?: Readonly<Record<string, string>>;
}

/** Speaks Vault's KV API, versions 1 and 2, as its documentation has it. */
export function startVault(contents: VaultContents): Promise<Double> {
  return startDouble((request, response) => {
    const path = (request.url ?? '').replace(/^\/v1\//, '');
    if (contents.silent?.includes(path)) return;
    const target = contents.redirect?.[path];
    if (target !== undefined) {
      response.writeHead(307, { location: target });
      response.end();
      return;
    }
    const status = contents.status?.[path];
    if (status !== undefined) return reply(response, status, { errors: ['said so'] });
    if (request.headers['x-vault-token'] !== VAULT_TOKEN)
      return reply(response, 403, { errors: ['permission denied'] });
    if ((request.headers['x-vault-namespace'] ?? undefined) !== contents.namespace)
      return reply(response, 404, { errors: [] });
    const second = contents.v2?.[path.replace('/data/', '/')];
    if (second && path.includes('/data/'))
      return reply(response, 200, { data: { data: second, metadata: { version: 3, destroyed: false } } });
    const first = contents.v1?.[path];
    if (first) return reply(response, 200, { data: first, lease_duration: 2764800 });
    reply(response, 404, { errors: [] });
  });
}
