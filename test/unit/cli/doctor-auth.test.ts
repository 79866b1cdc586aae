import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { generateKey } from '../../../src/crypto/keys.ts';
import { answers } from '../../idp/faults.ts';
import { createKeycloakIdp, type KeycloakIdp } from '../../idp/keycloak.ts';
import { createFront, type PublicFront } from '../../idp/proxy.ts';
import { signInStrictly } from '../auth/flow/peers.ts';
import { folder, project, Svc, svc } from './svc.ts';

// several programs start in each
vi.setConfig({ testTimeout: 90_000 });

const { kid, secret } = generateKey();
const KEYS = { SVC_AUTH_KEYS: `${kid}:${secret}` };
const AUTHORIZE = 'GET /realms/main/protocol/openid-connect/auth';

let idp: KeycloakIdp;
let front: PublicFront;

beforeEach(async () => {
  [idp, front] = [await createKeycloakIdp(), await createFront()];
  idp.client.redirects.push(front.callback);
  idp.start();
});
afterEach(async () => {
  await front.close();
  await idp.close();
});

const userFile = (auth: string, http = `base_url: "${front.origin}"`) => `svc: 1
transport: { http: { ${http} } }
projects:
  demo:
    profiles:
      default:
        auth: ${auth}
`;

const keycloak = (clientId = idp.client.id) =>
  `{ provider: keycloak, keycloak: { client_id: ${clientId}, client_secret: "${idp.client.secret}", server_url: "${idp.serverUrl}", realm: ${idp.realm} } }`;

interface Given {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A real server, which the proxy passes on to. */
async function serve({ cwd, env }: Given): Promise<void> {
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd, env });
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  front.pass(() => new URL(url));
}

/** What is found, by name, each as its status. */
async function look({ cwd, env }: Given, args: readonly string[] = []) {
  const { code, stdout } = await svc(['doctor', 'auth', '--json', ...args], cwd, env);
  const document = JSON.parse(stdout);
  const checks: { name: string; status: string; message: string; fix: string | null }[] = document.checks;
  const problems = checks.filter(({ status }) => status === 'problem');
  const named = Object.fromEntries(checks.map((check) => [check.name, check]));
  return { code, document, stdout, named, problems: problems.map(({ name }) => name) };
}

describe('svc doctor auth', () => {
  it('finds nothing where clients can sign in, and says what to register', async () => {
    const given = { cwd: await project(), env: { ...KEYS, SVC_CONFIG_YAML: userFile(keycloak()) } };
    await serve(given);
    const { code, document, problems, named, stdout } = await look(given);
    expect([problems, code, document.status, document.url]).toEqual([[], 0, 'ok', front.mcp.href]);
    expect(Object.keys(named)).toEqual([
      ...['keys', 'address', 'challenge', 'slash', 'resource-metadata', 'resource'],
      ...['issuer-metadata', 'issuer', 'audience', 'callback', 'provider', 'clock'],
      ...['may-sign-in', 'sign-in-open'],
    ]);
    expect(named['may-sign-in']?.message).toBe('every user of the realm');
    expect(named['sign-in-open']).toMatchObject({
      status: 'warning',
      message:
        '`auth.provider` is set without `allow` beside it, so every user of the realm may use the server.',
      fix: expect.stringContaining('allow'),
    });
    expect(named.callback?.message).toContain(front.callback);
    expect(stdout).not.toContain('planted');
    const below = join(given.cwd, 'tools');
    const text = await svc(['doctor', 'auth', '--url', `${front.origin}/mcp/`], below, given.env);
    expect([text.code, text.stdout]).toEqual([
      0,
      expect.stringMatching(/^ok +keys .*\nwarning +sign-in-open .*\nok\n$/s),
    ]);
    const elsewhere = await look({ cwd: folder(), env: {} }, ['--url', front.origin]);
    expect([elsewhere.code, elsewhere.problems]).toEqual([0, []]);
    expect(elsewhere.named).not.toHaveProperty('keys');
  });

  // Requirements: condition.callback
  it('finds a callback that is not registered at the provider, which refuses to sign anybody in', async () => {
    const moved = keycloak().replace('{ client_id', '{ callback_path: /elsewhere, client_id');
    const given = { cwd: await project(), env: { ...KEYS, SVC_CONFIG_YAML: userFile(moved) } };
    await serve(given);
    const { code, problems, named } = await look(given);
    expect([problems, code]).toEqual([['provider'], 1]);
    expect(named.provider?.message).toContain(`${new URL(idp.serverUrl).origin} refuses the sign-in (400`);
    expect(named.provider?.fix).toContain(`Register ${front.origin}/elsewhere at the provider`);
    await expect(signInStrictly(front.mcp)).rejects.toThrow(/invalid.*redirect_uri/is);
  });

  it('reports a server without sign-in as public, if that is on purpose', async () => {
    const given = { cwd: await project(), env: { SVC_PUBLIC: 'true' } };
    const { code, problems, named } = await look(given);
    expect([code, problems]).toEqual([0, []]);
    expect(named.callers?.message).toContain('public on purpose');
    const forgotten = await look({ ...given, env: {} });
    expect([forgotten.code, forgotten.problems]).toEqual([1, expect.arrayContaining(['provider'])]);
  });

  it('finds what a proxy in front breaks, and clocks that are apart', async () => {
    const given = { cwd: await project(), env: { ...KEYS, SVC_CONFIG_YAML: userFile(keycloak()) } };
    await serve(given);
    front.fail('POST /mcp/', answers(301, {}, { location: '/mcp' }));
    front.fail('GET /.well-known/oauth-protected-resource', answers(404));
    front.fail(
      'GET /.well-known/oauth-authorization-server',
      answers(200, { issuer: 'https://other.example' }),
    );
    front.fail('GET /callback', answers(404));
    const date = new Date(Date.now() - 3_600_000).toUTCString();
    idp.fail(AUTHORIZE, answers(302, {}, { location: '/login', date }));
    const { code, problems, named } = await look(given);
    expect([problems, code]).toEqual([['slash', 'resource-metadata', 'issuer', 'callback', 'clock'], 1]);
    expect(named.slash?.message).toContain('301, to /mcp');
    expect(named.clock?.message).toMatch(/3[56]\d\d s ahead of/);
    for (const name of problems) expect(named[name]?.fix).toEqual(expect.any(String));
  });

  it('recognizes the header that AWS renames', async () => {
    const given = { cwd: await project(), env: { ...KEYS, SVC_CONFIG_YAML: userFile(keycloak()) } };
    await serve(given);
    front.fail('POST /mcp', answers(401, {}, { 'x-amzn-Remapped-www-authenticate': 'Bearer' }));
    const { code, problems, named } = await look(given);
    expect([problems[0], code]).toEqual(['challenge', 1]);
    expect(named.challenge?.fix).toContain('CloudFront');
  });

  it('compares no clocks with a provider that sends no date', async () => {
    const given = { cwd: await project(), env: { ...KEYS, SVC_CONFIG_YAML: userFile(keycloak()) } };
    await serve(given);
    idp.fail(AUTHORIZE, answers(302, {}, { location: '/login', date: '' }));
    const { code, problems, named } = await look(given);
    expect([problems, code]).toEqual([[], 0]);
    expect(named.clock).toMatchObject({ status: 'ok', message: expect.stringContaining('was not compared') });
  });

  it('finds a configuration that does not fit: no keys, another address, a client nobody knows', async () => {
    const wrong = userFile(keycloak('nobody'), 'base_url: "http://localhost:9"');
    const given = { cwd: await project(), env: { SVC_CONFIG_YAML: wrong } };
    await serve(given);
    const { code, problems, named } = await look(given, ['--url', front.origin]);
    expect([problems, code]).toEqual([['address', 'challenge', 'provider'], 1]);
    // whoever serves at another address may have keys that are not here
    expect(named.keys).toMatchObject({ status: 'ok', message: expect.stringContaining('cannot be seen') });
    expect(named.address?.message).toContain('http://localhost:9');
    expect(named.challenge?.fix).toContain('base_url');
    expect(named.provider?.fix).toContain('http');
    const text = await svc(['doctor', 'auth', '--url', front.origin], given.cwd, given.env);
    expect([text.code, text.stdout]).toEqual([1, expect.stringMatching(/\n +fix: .*\n3 problems\n$/s)]);
    const nobody = await look(given);
    expect(nobody.named.server?.message).toBe('there is no answer at http://localhost:9/mcp');
    expect(nobody.named.keys).toMatchObject({
      status: 'problem',
      fix: expect.stringContaining('svc auth keygen'),
    });
    for (const [key, message] of [
      ['', 'lies beside the store'],
      [`, auth_encryption_key: ${'x'.repeat(32)}`, 'sealed with `auth.persistence.auth_encryption_key`'],
    ]) {
      const kept = keycloak('nobody').replace(/}$/, `, persistence: { path: oauth.db${key} } }`);
      const { named: found } = await look({ ...given, env: { SVC_CONFIG_YAML: userFile(kept) } });
      expect(found.keys).toMatchObject({ status: 'ok', message: expect.stringContaining(message ?? '') });
    }
  });

  it('finds tokens of another server that are made for something else', async () => {
    const verifier = (more = '') => `{ mode: verifier, verifier: { issuer: "${idp.issuer}"${more} } }`;
    const given = { cwd: await project(), env: { SVC_CONFIG_YAML: userFile(verifier()) } };
    await serve(given);
    const sound = await look(given);
    expect([sound.problems, sound.code]).toEqual([[], 0]);
    const other = { ...given, env: { SVC_CONFIG_YAML: userFile(verifier(', audience: [account]')) } };
    const { code, problems } = await look(other);
    expect([problems, code]).toEqual([['audience'], 1]);
  });

  it('shows who may sign in and who holds each scope, and warns of scopes that nobody holds', async () => {
    const cwd = await project();
    writeFileSync(
      join(cwd, 'tools/sales.yml'),
      'svc: 1\ntool: { name: sales, scopes: [sales:read, sales:write], source: { code: SELECT 1 AS n } }\n',
    );
    const rules =
      ', allow: { domains: [example.com] }, grants: [{ scope: sales:read, to: { groups: [staff] } }] }';
    const auth = keycloak().replace(/ }$/, rules);
    const given = { cwd, env: { ...KEYS, SVC_CONFIG_YAML: userFile(auth) } };
    await serve(given);
    const { code, problems, named, document } = await look(given);
    expect([problems, code, document.status]).toEqual([[], 0, 'ok']);
    expect(named['may-sign-in']?.message).toBe('everybody at example.com');
    expect(named.scope?.message).toBe('sales:read is held by group staff; needed by tool/sales');
    expect(named['scope-unheld']).toMatchObject({
      status: 'warning',
      message: 'Nobody holds the scope sales:write, so every call of sales is denied.',
    });
    expect(named).not.toHaveProperty('sign-in-open');
  });

  it('says so where nobody is asked to sign in', async () => {
    const given = { cwd: await project(), env: {} };
    await serve(given);
    const { code, problems } = await look(given, ['--url', front.origin]);
    expect([problems, code]).toEqual([['provider', 'challenge'], 1]);
  });

  it.each([
    ['another thing to look at', ['doctor', 'dance'], 'svc doctor auth'],
    ['an address that is none', ['doctor', 'auth', '--url', 'mcp'], 'https://'],
  ])('does not know %s', async (_name, args, told) => {
    const { code, stderr } = await svc(args, folder());
    expect([code, stderr]).toEqual([2, expect.stringContaining(told)]);
  });
});
