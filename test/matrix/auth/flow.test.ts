import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildTarget } from '../../../deploy/build.ts';
import { generateKey } from '../../../src/crypto/keys.ts';
import { createKeycloakIdp, type KeycloakIdp } from '../../idp/keycloak.ts';
import { createFront, type PublicFront } from '../../idp/proxy.ts';
import { callWith, sdk1, sdk2, signInStrictly } from '../../unit/auth/flow/peers.ts';
import { type FlowServer, serveProject, startServer } from '../../unit/auth/flow/server.ts';
import type { Served } from '../../unit/call/project.ts';
import { challengeOf, EDGE_PLATFORMS, type Started } from '../edge-platforms.ts';
import { createProject } from '../fixture.ts';

const WHOAMI = `svc: 1
tool:
  name: whoami
  description: Who asks
  return: { type: object }
  source: { code: "SELECT get_user_email() AS email, get_username() AS username" }
`;

const KEY = generateKey();
const KEYCLOAK_SECRET = 'keycloak+planted%secret';

/** What an operator writes; secrets stay in the platform's variables. */
const userFile = ({ serverUrl, realm, client }: KeycloakIdp, baseUrl: string) => `svc: 1
transport: { http: { base_url: "${baseUrl}" } }
logging: { level: INFO }
projects:
  matrix:
    profiles:
      default:
        auth:
          provider: keycloak
          keycloak:
            client_id: ${client.id}
            client_secret: "\${KEYCLOAK_SECRET}"
            server_url: ${serverUrl}
            realm: ${realm}
            callback_path: /callback
`;

describe.each(EDGE_PLATFORMS)('%s', (target, start) => {
  let idp: KeycloakIdp;
  let front: PublicFront;
  let folders: readonly string[];
  let started: Started;
  let served: Served;
  let other: FlowServer;

  beforeAll(async () => {
    [idp, front] = [await createKeycloakIdp({ secret: KEYCLOAK_SECRET }), await createFront()];
    idp.client.redirects.push(front.callback);
    const { id, secret } = idp.client;
    const block = {
      id: 'keycloak' as const,
      client_id: id,
      client_secret: secret,
      callback_path: '/callback',
    };
    served = await serveProject();
    other = await startServer({
      served,
      auth: (callback) => {
        idp.client.redirects.push(callback);
        return { keys: [KEY], provider: { ...block, server_url: idp.serverUrl, realm: idp.realm } };
      },
    });
    idp.start();
    const [root, out] = [await createProject(), await mkdtemp(join(tmpdir(), 'svc-auth-'))];
    folders = [root, out];
    await writeFile(join(root, 'tools/whoami.yml'), WHOAMI);
    await writeFile(join(root, 'user.yml'), userFile(idp, front.origin));
    await buildTarget({ root, target, out: join(out, target), config: 'user.yml' });
    const environment = { KEYCLOAK_SECRET, SVC_AUTH_KEYS: `${KEY.kid}:${KEY.secret}` };
    started = await start(join(out, target), environment);
    front.pass(() => started.url);
  });
  afterAll(async () => {
    for (const one of [started, other, front, idp, served]) await one?.close();
    for (const folder of folders ?? []) await rm(folder, { recursive: true });
  });

  // Requirements: auth.2
  test.each([sdk2(), sdk1()])('$name signs in, and SQL knows who it is', async ({ signIn }) => {
    const client = await signIn(front.mcp);
    const answer = await client.call('whoami');
    expect(JSON.parse(answer.text)).toEqual({ email: 'ada@example.com', username: 'ada' });
    await client.close();
    await vi.waitFor(() => expect(started.log().join('\n')).toContain('authenticated'), 20_000);
    expect(started.log().join('\n')).not.toMatch(/planted/);
  });

  test('oauth4webapi signs in; the code counts once, and the token is not written down', async () => {
    const { tokens, redeem } = await signInStrictly(front.mcp);
    const { text, status } = await callWith(front.mcp, tokens.access_token, 'whoami');
    expect({ status, ...JSON.parse(text) }).toMatchObject({ status: 200, email: 'ada@example.com' });
    await expect(redeem()).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
    expect(started.log().join('\n')).not.toContain(tokens.access_token);
  });

  // Requirements: auth.3
  test('without a token, 401 says where to get one', async () => {
    const response = await fetch(front.mcp, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
    const metadata = `${front.origin}/.well-known/oauth-protected-resource/mcp`;
    expect(challengeOf(response)).toContain(`resource_metadata="${metadata}"`);
    // The clients above sign in where they do not find it, too.
    expect(response.headers.has('www-authenticate')).toBe(target !== 'aws-lambda');
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: front.mcp.href,
      authorization_servers: [front.origin],
    });
  });

  test('a token of another issuer is refused, though the same key sealed it', async () => {
    const { tokens } = await signInStrictly(other.mcp);
    expect((await callWith(other.mcp, tokens.access_token, 'whoami')).status).toBe(200);
    expect((await callWith(front.mcp, tokens.access_token, 'whoami')).status).toBe(401);
  });
});
