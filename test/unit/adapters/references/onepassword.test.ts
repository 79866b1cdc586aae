import { describe, expect, it } from 'vitest';
import { createSdkReader } from '../../../../adapters/node/references/onepassword-sdk.ts';
import { createSecretSource } from '../../../../adapters/references/source.ts';
import { parseReference } from '../../../../src/settings/references/reference.ts';
import { CONNECT_TOKEN, ITEM_ID, startConnect, VAULT_ID } from './connect-double.ts';

const NEVER = new AbortController().signal;

function referenceOf(text: string) {
  const parsed = parseReference(text);
  if (!('reference' in parsed) || parsed.reference.scheme !== 'op') throw new Error(text);
  return parsed.reference;
}

async function open(token = CONNECT_TOKEN, status: Record<string, number> = {}) {
  const connect = await startConnect(status);
  const onepassword = { tokenVariable: 'SA', connectHost: connect.url, connectTokenVariable: 'CT' };
  const source = createSecretSource({ vault: null, onepassword }, { CT: token });
  return { connect, read: (text: string) => source.read(referenceOf(text), NEVER) };
}

describe('op:// over a Connect server', () => {
  // Requirements: dynamic.op
  it('finds vault, item and field by name or id, and each item once', async () => {
    const { connect, read } = await open();
    expect(await read('op://My "vault"/Database/password')).toBe('op-password');
    expect(await read('op://My "vault"/Database/one-time?attribute=otp')).toBe('123456');
    expect(connect.asked).toHaveLength(3);
    expect(await read(`op://${VAULT_ID}/${ITEM_ID}/password`)).toBe('op-password');
    expect(connect.asked).toHaveLength(4);
    expect(await read(`op://${VAULT_ID}/${ITEM_ID}/TOTP_1?attribute=otp`)).toBe('123456');
    expect(await read(`op://${VAULT_ID}/${ITEM_ID}/f2`)).toBe('token-1');
  });

  it('tells fields of one name apart by their section', async () => {
    const { read } = await open();
    expect(await read(`op://${VAULT_ID}/${ITEM_ID}/second/token`)).toBe('token-2');
  });

  it.each([
    ['op://Lost/Database/password', /names a vault that 1Password does not have/],
    [`op://${VAULT_ID}/Lost/password`, /names an item that 1Password does not have/],
    [`op://${VAULT_ID}/Twice/password`, /1Password has 2 times/],
    [`op://${VAULT_ID}/${ITEM_ID}/lost`, /names a field that 1Password does not have/],
    [`op://${VAULT_ID}/${ITEM_ID}/empty`, /a field without a value/],
    [`op://${VAULT_ID}/${ITEM_ID}/password?attribute=otp`, /is not a one-time password/],
  ])('says what is missing: %s', async (text, pattern) => {
    const { read } = await open();
    await expect(read(text)).rejects.toThrow(pattern);
  });

  it.each([
    [401, /rejected by 1Password Connect \(401\)/],
    [500, /could not be read from 1Password Connect \(500\)/],
  ])('says how the server refuses: %i', async (status, pattern) => {
    const { read } = await open(CONNECT_TOKEN, { [`/v1/vaults/${VAULT_ID}/items/${ITEM_ID}`]: status });
    await expect(read(`op://${VAULT_ID}/${ITEM_ID}/password`)).rejects.toThrow(pattern);
  });

  it('does not show the token', async () => {
    const { read } = await open('planted-wrong');
    const error = await read('op://a/b/c').catch((thrown: Error) => thrown);
    expect(String(error)).toMatch(/rejected/);
    expect(String(error)).not.toMatch(/planted/);
  });
});

describe('op:// with the SDK', () => {
  // Requirements: dynamic.op
  it('asks it once for a client, in its own words', async () => {
    const asked: string[] = [];
    let clients = 0;
    const sdk = {
      createClient: async () => {
        clients += 1;
        return { secrets: { resolve: async (uri: string) => `${asked.push(uri)}` } };
      },
    };
    const read = createSdkReader('token', async () => sdk);
    await read(referenceOf('op://v/i/f'));
    await read(referenceOf('op://v/i/s/f?attribute=otp'));
    expect({ asked, clients }).toEqual({ asked: ['op://v/i/f', 'op://v/i/s/f?attribute=totp'], clients: 1 });
  });

  it('names the package where it is not installed', async () => {
    const read = createSdkReader('token');
    await expect(read(referenceOf('op://v/i/f'))).rejects.toThrow(/npm install @1password\/sdk/);
  });

  it('repeats nothing of what it says', async () => {
    const sdk = { createClient: () => Promise.reject(new Error('planted-token is not valid')) };
    const read = createSdkReader('planted-token', async () => sdk);
    const error = await read(referenceOf('op://v/i/f')).catch((thrown: Error) => thrown);
    expect(String(error)).toMatch(/could not be read from 1Password/);
    expect(String(error)).not.toMatch(/planted/);
  });
});
