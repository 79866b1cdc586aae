import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildTarget } from '../../../deploy/build.ts';
import type { TargetName } from '../../../deploy/targets/targets.ts';
import { generateApiKey } from '../../../src/crypto/api-key.ts';
import { generateKey } from '../../../src/crypto/keys.ts';
import { createGithubIdp } from '../../idp/github.ts';
import { createGoogleIdp } from '../../idp/google.ts';
import { createKeycloakIdp } from '../../idp/keycloak.ts';
import { createFront } from '../../idp/proxy.ts';
import { callWith, signInStrictly } from '../../unit/auth/flow/peers.ts';
import { challengeOf, EDGE_PLATFORMS, type Start, type Started } from '../edge-platforms.ts';
import { createProject } from '../fixture.ts';
import { startNode } from '../platforms.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

type StartServer = (...given: Parameters<Start>) => Promise<Pick<Started, 'url' | 'close'>>;

const startArtefact: StartServer = async (folder, env) => {
  const { reach, close } = await startNode(folder, env);
  if (reach.kind !== 'http') throw new Error('the artefact listens on no socket');
  return { url: new URL('/', reach.url), close };
};

const PLATFORMS: readonly (readonly [TargetName, StartServer])[] = [
  ['node', startArtefact],
  ...EDGE_PLATFORMS,
];

const KEY = generateKey();
const SECRETS = { PROVIDER_SECRET: 'planted-secret', SVC_AUTH_KEYS: `${KEY.kid}:${KEY.secret}` };

/** A provider with one person, ada, who matches a rule until she leaves. */
interface Shape {
  /** The lines of `auth` that choose the provider. */
  readonly block: readonly string[];
  readonly rule: string;
  /** Lets ada leave; the result lets her come back. */
  leave(): () => void;
  close(): Promise<void>;
}

const SHAPES: Readonly<Record<string, (callback: string) => Promise<Shape>>> = {
  GitHub: async (callback) => {
    const idp = await createGithubIdp();
    const { ada } = idp.users;
    const { origin, client } = idp;
    Object.assign(client, { secret: SECRETS.PROVIDER_SECRET });
    client.redirects.push(callback);
    const urls = `auth_url: "${origin}/login/oauth/authorize", token_url: "${origin}/login/oauth/access_token"`;
    return {
      block: blockOf('github', client.id, urls),
      rule: '{ organizations: [acme] }',
      leave: () => {
        Object.assign(idp.users, { ada: { ...ada, orgs: [], teams: [] } });
        return () => void Object.assign(idp.users, { ada });
      },
      close: idp.close,
    };
  },
  Google: async (callback) => {
    const idp = await createGoogleIdp();
    const { ada } = idp.users;
    const { origin, client } = idp;
    Object.assign(client, { secret: SECRETS.PROVIDER_SECRET });
    client.redirects.push(callback);
    const urls = `auth_url: "${origin}/o/oauth2/v2/auth", token_url: "${origin}/token"`;
    return {
      block: blockOf('google', client.id, urls),
      rule: '{ domains: [example.com] }',
      leave: () => {
        Object.assign(idp.users, { ada: { ...ada, hd: undefined } });
        return () => void Object.assign(idp.users, { ada });
      },
      close: idp.close,
    };
  },
  Keycloak: async (callback) => {
    const idp = await createKeycloakIdp({ secret: SECRETS.PROVIDER_SECRET });
    idp.client.redirects.push(callback);
    idp.start();
    return {
      block: blockOf('keycloak', idp.client.id, `server_url: "${idp.serverUrl}", realm: ${idp.realm}`),
      rule: '{ claims: { realm_roles: [analyst] } }',
      leave: () => {
        Object.assign(idp.roles, { ada: [] });
        return () => void Object.assign(idp.roles, { ada: ['analyst'] });
      },
      close: idp.close,
    };
  },
};

function blockOf(id: string, clientId: string, more: string): readonly string[] {
  return [
    `provider: ${id}`,
    `${id}: { client_id: ${clientId}, client_secret: "\${PROVIDER_SECRET}", ${more} }`,
  ];
}

const userFile = (baseUrl: string, auth: readonly string[]) => `svc: 1
transport: { http: { base_url: "${baseUrl}" } }
projects:
  matrix:
    profiles:
      default:
        auth:
${auth.map((line) => `          ${line}`).join('\n')}
`;

const RESTRICTED = `svc: 1
tool:
  name: restricted
  description: For holders of a scope
  scopes: [admin:write]
  source: { code: SELECT 1 AS n }
`;

/** Node meets all three providers. The other platforms differ in where the server runs, not in what a provider says. */
const shapesOn = (target: TargetName) =>
  Object.entries(SHAPES).filter(([name]) => target === 'node' || name === 'Keycloak');

describe.each(PLATFORMS)('%s', (target, start) => {
  let folders: readonly string[];
  let artefact: string;

  beforeAll(async () => {
    const [root, out] = [await createProject(), await mkdtemp(join(tmpdir(), 'svc-who-may-'))];
    [folders, artefact] = [[root, out], join(out, target)];
    await writeFile(join(root, 'tools/restricted.yml'), RESTRICTED);
    // Each start brings its own configuration; the one of the build only says that there is sign-in.
    const bundled = userFile('https://mcp.example.com', blockOf('github', 'x', 'callback_path: /callback'));
    await writeFile(join(root, 'user.yml'), bundled);
    await buildTarget({ root, public: true, target, out: artefact, config: 'user.yml' });
  });
  afterAll(async () => {
    for (const folder of folders ?? []) await rm(folder, { recursive: true });
  });

  /** A public address, behind which the artefact starts with its configuration. */
  async function serve(toAuth: (callback: string) => Promise<readonly string[]>) {
    const front = await createFront();
    const auth = await toAuth(front.callback);
    const started = await start(artefact, { ...SECRETS, SVC_CONFIG_YAML: userFile(front.origin, auth) });
    front.pass(() => started.url);
    onTestFinished(async () => {
      await started.close();
      await front.close();
    });
    return front;
  }

  const statusOf = async (mcp: URL, token: string, tool = 'restricted') =>
    (await callWith(mcp, token, tool)).status;

  // Requirements: auth.required_scopes
  test.each(shapesOn(target))('%s: required scopes without any group refuse', async (_name, create) => {
    const { mcp } = await serve(async (callback) => {
      const shape = await create(callback);
      onTestFinished(shape.close);
      return [...shape.block, 'authorization: { required_scopes: ["staff:only", "corp:admin"] }'];
    });
    for (const scope of [undefined, 'svc:access', 'staff:only corp:admin']) {
      await expect(signInStrictly(mcp, {}, scope)).rejects.toMatchObject({ error: 'access_denied' });
    }
  });

  // Requirements: own.grants
  test.each(shapesOn(target))('%s: only a user who holds a scope gets it', async (_name, create) => {
    let leave: Shape['leave'] = () => () => undefined;
    const { mcp } = await serve(async (callback) => {
      const shape = await create(callback);
      onTestFinished(shape.close);
      leave = shape.leave;
      return [...shape.block, `grants: [{ scope: "admin:write", to: ${shape.rule} }]`];
    });
    const asked = 'svc:access admin:write';
    const holder = await signInStrictly(mcp, {}, asked);
    expect(holder.tokens.scope).toBe(asked);
    expect(await statusOf(mcp, holder.tokens.access_token)).toBe(200);
    const join = leave();
    const other = await signInStrictly(mcp, {}, asked);
    expect(other.tokens.scope).toBe('svc:access');
    expect(await statusOf(mcp, other.tokens.access_token)).toBe(403);
    expect(await statusOf(mcp, other.tokens.access_token, 'sales')).toBe(200);
    join();
  });

  test('a verifier counts scopes of a token only for users who hold them', async () => {
    const idp = await createKeycloakIdp();
    idp.start();
    onTestFinished(idp.close);
    const { mcp } = await serve(async () => [
      'mode: verifier',
      `verifier: { issuer: "${idp.issuer}" }`,
      'grants: [{ scope: "admin:write", to: { claims: { realm_access.roles: [analyst] } } }]',
    ]);
    const tokenFor = (roles: readonly string[]) => {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: idp.issuer, sub: 'ada', aud: mcp.href, iat: now, exp: now + 60 };
      const granted = { scope: 'svc:access admin:write', realm_access: { roles } };
      return idp.signer.sign({ ...claims, ...granted }, { typ: 'at+jwt' });
    };
    expect(await statusOf(mcp, await tokenFor(['analyst']))).toBe(200);
    expect(await statusOf(mcp, await tokenFor([]))).toBe(403);
    expect(await statusOf(mcp, await tokenFor([]), 'sales')).toBe(200);
  });

  // Requirements: api-key.bearer
  test('an API key works beside a provider, with its scopes only', async () => {
    const [plain, admin, other] = await Promise.all([generateApiKey(), generateApiKey(), generateApiKey()]);
    const { mcp } = await serve(async () => [
      ...blockOf('github', 'x', 'callback_path: /callback'),
      `api_keys: [{ name: plain, hash: ${plain.hash} }, { name: admin, hash: ${admin.hash}, scopes: ["admin:write"] }]`,
    ]);
    expect(await statusOf(mcp, plain.key, 'sales')).toBe(200);
    expect(await statusOf(mcp, plain.key)).toBe(403);
    expect(await statusOf(mcp, admin.key)).toBe(200);
    const authorization = `Bearer ${other.key}`;
    const refused = await fetch(mcp, { method: 'POST', body: '{}', headers: { authorization } });
    expect(refused.status).toBe(401);
    expect(challengeOf(refused)).toContain('resource_metadata=');
  });

  // Requirements: api-key.bearer
  test('API keys that are built in are the only sign-in, without --public', async () => {
    const [made, other, old] = await Promise.all([generateApiKey(), generateApiKey(), generateApiKey()]);
    const [root, out] = [await createProject(), await mkdtemp(join(tmpdir(), 'svc-keys-'))];
    onTestFinished(async () => {
      for (const folder of [root, out]) await rm(folder, { recursive: true });
    });
    await writeFile(join(root, 'tools/restricted.yml'), RESTRICTED);
    const entries = `{ name: made, hash: ${made.hash}, scopes: ["admin:write"] }, { name: old, hash: ${old.hash}, expires: 2020-01-01 }`;
    await writeFile(join(root, 'user.yml'), userFile('https://mcp.example.com', [`api_keys: [${entries}]`]));
    const built = await buildTarget({ root, target, out: join(out, target), config: 'user.yml' });
    expect(built.callers).toBe('API keys');
    const started = await start(built.out, {});
    onTestFinished(started.close);
    const mcp = new URL('/mcp', started.url);
    expect(await statusOf(mcp, made.key)).toBe(200);
    expect(await statusOf(mcp, other.key)).toBe(401);
    const authorization = `Bearer ${old.key}`;
    const expired = await fetch(mcp, { method: 'POST', body: '{}', headers: { authorization } });
    expect([expired.status, await expired.text()]).toEqual([401, expect.stringContaining('key old expired')]);
    const anonymous = await fetch(mcp, { method: 'POST', body: '{}' });
    expect(anonymous.status).toBe(401);
    expect(challengeOf(anonymous)).toBe('Bearer scope="svc:access"');
    expect((await fetch(new URL('/.well-known/oauth-protected-resource', started.url))).status).toBe(404);
  });
});
