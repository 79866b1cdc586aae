import { describe, expect, it } from 'vitest';
import { createSecretSource } from '../../../../adapters/references/source.ts';
import type { SecretReference } from '../../../../src/ports.ts';
import type { VaultConnection } from '../../../../src/settings/references/connections.ts';
import { startVault, VAULT_TOKEN, type VaultContents } from './vault-double.ts';

const at = (path: string, field = 'password'): SecretReference => ({ scheme: 'vault', path, field });

async function open(contents: VaultContents, over: Partial<VaultConnection> = {}, token = VAULT_TOKEN) {
  const vault = await startVault(contents);
  const connection = { address: vault.url, tokenVariable: 'MY_TOKEN', namespace: null, ...over };
  const source = createSecretSource({ vault: connection, onepassword: null }, { MY_TOKEN: token });
  const read = (reference: SecretReference, signal = new AbortController().signal) =>
    source.read(reference, signal);
  return { vault, read };
}

describe('vault://', () => {
  // Requirements: dynamic.vault
  it('reads version 2, and a path once for all of its fields', async () => {
    const { vault, read } = await open({ v2: { 'secret/team/db': { password: 'p2', user: 'u' } } });
    const values = await Promise.all([read(at('secret/team/db')), read(at('secret/team/db', 'user'))]);
    expect(values).toEqual(['p2', 'u']);
    expect(vault.asked).toEqual(['GET /v1/secret/data/team/db']);
  });

  // Requirements: dynamic.vault
  it('falls back to version 1', async () => {
    const { vault, read } = await open({ v1: { 'kv/db': { password: 'p1' } } });
    expect(await read(at('kv/db'))).toBe('p1');
    expect(vault.asked).toEqual(['GET /v1/kv/data/db', 'GET /v1/kv/db']);
  });

  it('falls back where the policy for version 1 refuses the path of version 2', async () => {
    const { read } = await open({ v1: { 'kv/db': { password: 'p1' } }, status: { 'kv/data/db': 403 } });
    expect(await read(at('kv/db'))).toBe('p1');
  });

  it('takes the API path of version 2 too, and mounts with several steps by it', async () => {
    const { read } = await open({ v2: { 'kv/team/db': { password: 'deep' } } });
    expect(await read(at('kv/team/data/db'))).toBe('deep');
  });

  it('sends the namespace', async () => {
    const contents = { v2: { 'secret/db': { password: 'ns' } }, namespace: 'admin/team' };
    const inside = await open(contents, { namespace: 'admin/team' });
    expect(await inside.read(at('secret/db'))).toBe('ns');
    const outside = await open(contents);
    await expect(outside.read(at('secret/db'))).rejects.toThrow('does not exist in Vault (404)');
  });

  it('gives numbers and truth values as text', async () => {
    const { read } = await open({ v2: { 'secret/db': { port: 5432, tls: true } } });
    expect(await read(at('secret/db', 'port'))).toBe('5432');
    expect(await read(at('secret/db', 'tls'))).toBe('true');
  });

  it.each<[string, VaultContents, RegExp]>([
    ['nothing there', {}, /does not exist in Vault \(404\)/],
    ['no right', { status: { 'secret/data/db': 403, 'secret/db': 403 } }, /rejected by Vault \(403\)/],
    ['no right, as only version 2 says', { status: { 'secret/db': 403 } }, /not exist in Vault \(404\)/],
    ['sealed', { status: { 'secret/data/db': 503 } }, /sealed or in standby \(503\)/],
    ['broken', { status: { 'secret/data/db': 500 } }, /could not be read from Vault \(500\)/],
    ['too many questions', { status: { 'secret/data/db': 429 } }, /\(429\)/],
    ['another field', { v2: { 'secret/db': { user: 'planted-user' } } }, /names the field password/],
    [
      'sent elsewhere',
      { redirect: { 'secret/data/db': 'http://127.0.0.1:1/' } },
      /redirects to another address \(307\)/,
    ],
  ])('says why it fails, and no value: %s', async (_what, contents, text) => {
    const { read } = await open(contents);
    const error = await read(at('secret/db')).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'reference_unresolved' });
    expect(String(error)).toMatch(text);
    expect(String(error)).not.toMatch(/planted/);
  });

  it('says which token is wrong, without the token', async () => {
    const wrong = await open({ v2: { 'secret/db': { password: 'x' } } }, {}, 'planted-wrong');
    await expect(wrong.read(at('secret/db'))).rejects.toThrow('rejected by Vault (403)');
    const broken = await open({}, {}, 'planted\nbroken');
    const error = await broken.read(at('secret/db')).catch((thrown: Error) => thrown);
    expect(String(error)).toMatch(/token in MY_TOKEN, which contains spaces/);
    expect(String(error)).not.toMatch(/planted/);
    expect(broken.vault.asked).toEqual([]);
  });

  it('says which variable has no token', async () => {
    const { read, vault } = await open({}, { tokenVariable: 'OTHER' });
    await expect(read(at('secret/db'))).rejects.toThrow(
      'needs a token, and OTHER is not set.\nSet OTHER before svc starts.',
    );
    expect(vault.asked).toEqual([]);
  });

  it('stops with the signal, also while Vault is silent', async () => {
    const { read } = await open({ silent: ['secret/data/db'] });
    await expect(read(at('secret/db'), AbortSignal.timeout(50))).rejects.toThrow('cannot be reached');
  });

  it('says that nobody answers, without the address', async () => {
    const { read } = await open({}, { address: 'http://planted:planted@127.0.0.1:1' });
    const error = await read(at('secret/db')).catch((thrown: Error) => thrown);
    expect(String(error)).toMatch(/cannot be reached/);
    expect(String(error)).not.toMatch(/planted/);
  });

  // Requirements: user-file.vault
  it('is refused where Vault is not switched on', async () => {
    const source = createSecretSource({ vault: null, onepassword: null }, {});
    await expect(source.read(at('secret/db'), new AbortController().signal)).rejects.toThrow(
      'not switched on',
    );
  });
});
