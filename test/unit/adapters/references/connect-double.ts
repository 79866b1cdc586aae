import { type Double, reply, startDouble } from './http-double.ts';

export const CONNECT_TOKEN = 'planted-connect-token';

export const VAULT_ID = 'v'.repeat(26);
export const ITEM_ID = 'i'.repeat(26);

const FIELDS = [
  { id: 'password', label: 'password', type: 'CONCEALED', value: 'op-password' },
  { id: 'f2', label: 'token', section: { id: 's1', label: 'first' }, value: 'token-1' },
  { id: 'f3', label: 'token', section: { id: 's2', label: 'second' }, value: 'token-2' },
  { id: 'TOTP_1', label: 'one-time', type: 'OTP', value: 'otpauth://planted', totp: '123456' },
  { id: 'none', label: 'empty' },
];

/** Speaks the REST API of 1Password Connect: vaults and items by filter, one item by id. */
export function startConnect(status: Readonly<Record<string, number>> = {}): Promise<Double> {
  return startDouble((request, response) => {
    const url = new URL(request.url ?? '', 'http://connect');
    const forced = status[url.pathname];
    if (forced !== undefined) return reply(response, forced, { status: forced, message: 'said so' });
    if (request.headers.authorization !== `Bearer ${CONNECT_TOKEN}`)
      return reply(response, 401, { status: 401, message: 'Invalid token' });
    const name = /eq (".*")$/.exec(url.searchParams.get('filter') ?? '')?.[1];
    const asked = name === undefined ? null : JSON.parse(name);
    if (url.pathname === '/v1/vaults')
      return reply(response, 200, asked === 'My "vault"' ? [{ id: VAULT_ID, name: asked }] : []);
    if (url.pathname === `/v1/vaults/${VAULT_ID}/items`) return reply(response, 200, itemsOf(asked));
    if (url.pathname === `/v1/vaults/${VAULT_ID}/items/${ITEM_ID}`)
      return reply(response, 200, { id: ITEM_ID, fields: FIELDS });
    reply(response, 404, { status: 404 });
  });
}

function itemsOf(asked: unknown) {
  if (asked === 'Database') return [{ id: ITEM_ID, title: 'Database' }];
  if (asked === 'Twice') return [1, 2].map(() => ({ id: ITEM_ID, title: 'Twice' }));
  return [];
}
