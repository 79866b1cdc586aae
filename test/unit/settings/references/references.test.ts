import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getSecret } from '../../../../src/settings/secrets.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { startVault, VAULT_TOKEN } from '../../adapters/references/vault-double.ts';
import { load, problemsOf, settingsOf, userFile } from '../fixture.ts';

const secret = (parameters: string, shared = '') =>
  userFile(`secrets:\n  - name: s\n    type: custom\n    parameters: ${parameters}\n`, shared);

const readAs = async (value: string, env: Record<string, string> = {}) =>
  getSecret(await settingsOf({ user: secret(`{ a: ${JSON.stringify(value)} }`), env }), 's')?.a;

describe('references', () => {
  // Requirements: dynamic.variable
  it('stand for variables, whole and inside of text', async () => {
    const env = { A: 'one', B: '', C: '${A}' };
    expect(await readAs('${A}', env)).toBe('one');
    expect(await readAs('<${A}-${B}-${A}>', env)).toBe('<one--one>');
    expect(await readAs('${C}', env)).toBe('${A}');
    expect(await readAs('$A $ {A}', env)).toBe('$A $ {A}');
  });

  // Requirements: dynamic.file
  it('stand for files, stripped, relative to the working directory', async () => {
    const path = join(temporaryFolder(), 'key.txt');
    writeFileSync(path, '\n  from a file \n\n');
    expect(await readAs(`file://${path}`)).toBe('from a file');
    expect(await readAs(`file://${relative(process.cwd(), path)}`)).toBe('from a file');
    expect(await readAs('file://${WHERE}', { WHERE: path })).toBe('from a file');
    const user = secret(`{ a: "file://${relative(process.cwd(), path)}" }`);
    const userFile = {
      name: join(temporaryFolder(), 'deep/er/config.yml'),
      bytes: new TextEncoder().encode(user),
    };
    expect(getSecret(await settingsOf({ over: { userFile } }), 's')).toEqual({ a: 'from a file' });
  });

  // Requirements: user-file.transport.http.stateless
  it('become numbers and booleans where these are meant', async () => {
    const user = `svc: 1
transport: { http: { port: "\${PORT}", stateless: "\${FLAG}" } }
models: { m: { type: claude, api_key: x, prices: { input: "\${IN}", output: "\${OUT}" } } }
`;
    const env = { PORT: '81', FLAG: 'True', IN: '0.5', OUT: '25e-2' };
    const { transport, models } = await settingsOf({ user, env });
    expect(transport.http).toMatchObject({ port: 81, stateless: true });
    expect(models.named.m?.prices).toMatchObject({ input: 0.5, output: 0.25 });
  });

  // Requirements: dynamic.vault, secret.get_secret, secret.parameters, user-file.vault
  it('are looked up at any depth, at the same time, each once', async () => {
    const vault = await startVault({ v2: { 'secret/db': { a: 'one', b: 'two' } } });
    const user = secret(
      '{ x: "vault://secret/db#a", y: "vault://secret/db#b", deep: { z: "vault://secret/db#a" } }',
      'vault: { enabled: true, address: "${ADDRESS}", token_env: T }\n',
    );
    const settings = await settingsOf({ user, env: { ADDRESS: vault.url, T: VAULT_TOKEN } });
    expect(getSecret(settings, 's')).toEqual({ x: 'one', y: 'two', deep: { z: 'one' } });
    expect(vault.asked).toHaveLength(1);
    expect(getSecret(settings, 'other')).toBeNull();
  });

  it('switch a secret manager on, however the word is written', async () => {
    const vault = await startVault({ v2: { 'secret/db': { a: 'one' } } });
    const user = secret(
      '{ x: "vault://secret/db#a" }',
      `vault: { enabled: "\${ON}", address: "${vault.url}" }\n`,
    );
    const settings = await settingsOf({ user, env: { ON: 'TRUE', VAULT_TOKEN } });
    expect(getSecret(settings, 's')).toEqual({ x: 'one' });
  });

  it('are read anew by each load', async () => {
    const env: Record<string, string> = { A: 'one' };
    expect(await readAs('${A}', env)).toBe('one');
    env.A = 'two';
    expect(await readAs('${A}', env)).toBe('two');
  });

  // Requirements: secret.type
  it('read the same for every type', async () => {
    const names = 'host port database username password api_key api_url api_secret own'.split(' ');
    const written = Object.fromEntries(names.map((name) => [name, `of ${name}`]));
    for (const type of ['database', 'api', 'custom', 's3']) {
      const user = secret(JSON.stringify(written)).replace('custom', type);
      expect(getSecret(await settingsOf({ user }), 's')).toEqual(written);
    }
  });

  // Requirements: user-file.vault
  it('ask no Vault that is not enabled, and one that is with no other token', async () => {
    const vault = await startVault({ v2: { 'secret/db': { a: 'one' } } });
    const problems = (block: string) => {
      const shared = `vault: { address: "${vault.url}", ${block} }\n`;
      const user = secret('{ x: "vault://secret/db#a" }', shared);
      return problemsOf({ user, env: { MINE: VAULT_TOKEN, VAULT_TOKEN: 'wrong' } });
    };
    for (const block of ['enabled: false, token_env: MINE', 'token_env: MINE'])
      expect(await problems(block)).toEqual([expect.stringContaining('Vault, which is not switched on')]);
    expect(vault.asked).toEqual([]);
    expect(await problems('enabled: true, token_env: MINE')).toEqual([]);
    expect(await problems('enabled: true')).toEqual([expect.stringContaining('403')]);
  });

  it('give up in time, with a finding', async () => {
    const vault = await startVault({ silent: ['secret/data/db'] });
    const user = secret(
      '{ x: "vault://secret/db#a" }',
      `vault: { enabled: true, address: "${vault.url}" }\n`,
    );
    const problems = await problemsOf({ user, env: { VAULT_TOKEN }, over: { timeoutMs: 50 } });
    expect(problems).toEqual([expect.stringContaining('was not answered within 0.05 seconds')]);
  });

  it('matter only in the profile in use (D16)', async () => {
    const user = `svc: 1
projects:
  demo:
    profiles:
      dev: {}
      prod: { secrets: [{ name: s, type: custom, parameters: { a: "\${UNSET}", b: "vault://x/y#z", c: "\${U:-d}" } }] }
  other:
    profiles: { dev: { auth: { provider: "\${UNSET}" } } }
`;
    expect(await problemsOf({ user })).toEqual([]);
  });

  // Requirements: condition.reference, dynamic.unresolved
  it.each([
    [
      '${UNSET}',
      'is ${UNSET}, which names an environment variable that is not set. [Set UNSET before svc starts.]',
    ],
    ['planted${UNSET}', 'is ${UNSET}, which names an environment variable'],
    [
      '${UNSET:-planted}',
      // Requirements: condition.default, dynamic.variable
      'gives an environment variable a default, which would hide that the variable is missing.',
    ],
    ['${UNSET', 'does not begin an environment variable'],
    ['${}', 'does not begin an environment variable'],
    ['vault://secret', 'is not a valid reference to a secret of Vault'],
    ['vault://secret/../sys#x', 'is not a valid reference to a secret of Vault'],
    // Requirements: user-file.vault
    ['vault://secret/db#x', 'is vault://secret/db#x, which needs Vault, which is not switched on.'],
    ['op://v/i', 'is not a valid reference to a field of 1Password'],
    ['op://v/i/f?attribute=totally', 'is not a valid reference to a field of 1Password'],
    ['op://v/i/f', 'needs 1Password, which is not switched on.'],
    ['file://', 'does not name a file'],
    // Requirements: dynamic.file
    ['file:///does/not/exist', 'is file:///does/not/exist, which names a file that does not exist.'],
    ['file:///tmp', 'names a folder or device'],
  ])('%s fails the load with key, place and reason', async (value, text) => {
    const { settings, findings } = await load({ user: secret(`{ a: ${JSON.stringify(value)} }`) });
    expect(settings).toBeNull();
    expect(findings).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'reference-unresolved',
        file: 'config.yml',
        line: 9,
      }),
    ]);
    const [shown] = findings.map(({ message, fix }) => `${message} [${fix}]`);
    expect(shown).toMatch(/^`projects\.demo\.profiles\.dev\.secrets\[0\]\.parameters\.a`/);
    expect(shown).toContain(text);
    expect(shown).not.toContain('planted');
  });

  // Requirements: condition.default, dynamic.variable
  it('with a default fail the load also where the variable is set', async () => {
    const user = secret(JSON.stringify({ a: '${SET:-planted}' }));
    const { settings, findings } = await load({ user, env: { SET: 'x', 'SET:-planted': 'y' } });
    expect(settings).toBeNull();
    expect(findings.map(({ code }) => code)).toEqual(['reference-unresolved']);
  });

  // Requirements: condition.reference, dynamic.unresolved
  it.each([
    ['no such secret', 'vault://secret/other#a', VAULT_TOKEN],
    ['no such field', 'vault://secret/db#other', VAULT_TOKEN],
    ['a token that Vault refuses', 'vault://secret/db#a', 'wrong'],
  ])('to a secret manager fail the load: %s', async (_name, value, token) => {
    const vault = await startVault({ v2: { 'secret/db': { a: 'planted' } } });
    const shared = `vault: { enabled: true, address: "${vault.url}" }\n`;
    const given = { user: secret(JSON.stringify({ a: value }), shared), env: { VAULT_TOKEN: token } };
    const { settings, findings } = await load(given);
    expect(settings).toBeNull();
    expect(findings.map(({ severity, code }) => [severity, code])).toEqual([
      ['error', 'reference-unresolved'],
    ]);
  });

  it('stand for a list of one item', async () => {
    const user = userFile(`auth:
  blocked_clients: "\${BLOCK}"
  clients: [{ client_id: c, name: C, scopes: "file://\${HOME}/a scope" }]
  authorization: { required_scopes: "\${SCOPE}" }
  api_keys: [{ name: k, hash: "\${BLOCK}", scopes: "\${SCOPE}" }]
`);
    const home = temporaryFolder();
    writeFileSync(join(home, 'a scope'), 'sales:read');
    const env = { BLOCK: 'ab'.repeat(32), SCOPE: 'svc:access', HOME: home };
    const { auth } = await settingsOf({ user, env });
    expect(auth).toMatchObject({
      blocked_clients: [env.BLOCK],
      clients: [{ scopes: ['sales:read'] }],
      required_scopes: ['svc:access'],
      api_keys: [{ scopes: ['svc:access'] }],
    });
    const problems = await problemsOf({ user, env: { ...env, SCOPE: 'planted scope' } });
    expect(problems).toEqual([
      expect.stringContaining('api_keys[0].scopes[0]`, which is ${SCOPE}, must be one scope'),
      expect.stringContaining('required_scopes[0]`, which is ${SCOPE}, must be one scope'),
    ]);
    expect(problems.join()).not.toContain('planted');
  });

  it('show no value that is wrong in its place', async () => {
    const user =
      'svc: 1\ntransport: { provider: "${P}", http: { port: "${P}", base_url: "${P}", stateless: "${P}" } }\n';
    const problems = await problemsOf({ user, env: { P: 'planted' } });
    expect(problems).toHaveLength(4);
    expect(problems.join()).toContain('`transport.provider`, which is ${P}, must be one of');
    expect(problems.join()).not.toContain('planted');
  });
});
