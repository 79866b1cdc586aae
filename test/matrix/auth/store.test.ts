import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { buildTarget } from '../../../deploy/build.ts';
import { startFunction } from '../../../deploy/targets/aws-lambda/preview/function.ts';
import type { TargetName } from '../../../deploy/targets/targets.ts';
import { generateKey } from '../../../src/crypto/keys.ts';
import { createKeycloakIdp, type KeycloakIdp } from '../../idp/keycloak.ts';
import { createFront, type PublicFront } from '../../idp/proxy.ts';
import { AWS_ENV, startDynamo, TABLE } from '../../unit/adapters/aws-lambda/dynamodb-double.ts';
import { callWith, signInStrictly } from '../../unit/auth/flow/peers.ts';
import { Svc } from '../../unit/cli/svc.ts';
import { createProject } from '../fixture.ts';
import { startWorker } from '../worker.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000 });

const KEY = generateKey();
const SECRETS = { KEYCLOAK_SECRET: 'planted-secret', SVC_AUTH_KEYS: `${KEY.kid}:${KEY.secret}` };

const userFile = ({ serverUrl, realm, client }: KeycloakIdp, baseUrl: string, persistence: string) => `svc: 1
transport: { http: { base_url: "${baseUrl}" } }
projects:
  matrix:
    profiles:
      default:
        auth:
          provider: keycloak
          persistence: ${persistence}
          grants: [{ scope: "admin:write", to: { claims: { realm_roles: [analyst] } } }]
          keycloak:
            client_id: ${client.id}
            client_secret: "\${KEYCLOAK_SECRET}"
            server_url: ${serverUrl}
            realm: ${realm}
`;

const RESTRICTED = `svc: 1
tool:
  name: restricted
  description: For holders of a scope
  scopes: [admin:write]
  source: { code: SELECT 1 AS n }
`;

/** A built artefact behind its public address, and a provider that knows it. */
async function build(target: TargetName, persistence: string) {
  const idp = await createKeycloakIdp({ secret: SECRETS.KEYCLOAK_SECRET });
  const front = await createFront();
  idp.client.redirects.push(front.callback);
  idp.start();
  const [root, out] = [await createProject(), await mkdtemp(join(tmpdir(), 'svc-stored-'))];
  onTestFinished(async () => {
    for (const one of [front, idp]) await one.close();
    for (const folder of [root, out]) await rm(folder, { recursive: true });
  });
  await writeFile(join(root, 'tools/restricted.yml'), RESTRICTED);
  await writeFile(join(root, 'user.yml'), userFile(idp, front.origin, persistence));
  await buildTarget({ root, target, out: join(out, target), config: 'user.yml' });
  return { front, idp, folder: join(out, target) };
}

/** Signs in, refreshes, and calls with what came of it. */
async function refreshes({ mcp }: PublicFront): Promise<void> {
  const { tokens, redeem, refresh } = await signInStrictly(mcp);
  const renewed = await refresh(String(tokens.refresh_token));
  expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
  expect((await callWith(mcp, renewed.access_token, 'sales')).status).toBe(200);
  // a code that comes twice ends the session that it began
  await expect(redeem()).rejects.toMatchObject({ error: 'invalid_grant' });
  await expect(refresh(String(renewed.refresh_token))).rejects.toMatchObject({ error: 'invalid_grant' });
}

/** Signs in with a scope, leaves the role that gives it, and refreshes. */
async function losesScope({ mcp }: PublicFront, idp: KeycloakIdp): Promise<void> {
  const { tokens, refresh } = await signInStrictly(mcp, {}, 'svc:access admin:write');
  expect((await callWith(mcp, tokens.access_token, 'restricted')).status).toBe(200);
  Object.assign(idp.roles, { ada: [] });
  const renewed = await refresh(String(tokens.refresh_token));
  expect(renewed.scope).toBe('svc:access');
  for (const { access_token } of [tokens, renewed]) {
    expect((await callWith(mcp, access_token, 'restricted')).status).toBe(403);
    expect((await callWith(mcp, access_token, 'sales')).status).toBe(200);
  }
}

// Requirements: auth.persistence.path, auth.persistence.type
test('svc serve stores sessions in SQLite: they are refreshed and ended, and outlive a restart', async () => {
  const [idp, front] = [await createKeycloakIdp({ secret: SECRETS.KEYCLOAK_SECRET }), await createFront()];
  idp.client.redirects.push(front.callback);
  idp.start();
  const root = await createProject();
  await writeFile(join(root, 'tools/restricted.yml'), RESTRICTED);
  const persistence = `{ type: sqlite, path: "${root}/oauth.db" }`;
  const env = { ...SECRETS, SVC_CONFIG_YAML: userFile(idp, front.origin, persistence) };
  const start = async () => {
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
    const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
    front.pass(() => new URL(url));
    return server;
  };
  const stop = async (server: Svc) => {
    server.child.kill('SIGTERM');
    await server.ended;
  };
  let server = await start();
  onTestFinished(async () => {
    await stop(server);
    for (const one of [front, idp]) await one.close();
    await rm(root, { recursive: true });
  });
  await refreshes(front);
  await losesScope(front, idp);
  const { tokens, refresh } = await signInStrictly(front.mcp);
  await stop(server);
  expect(existsSync(join(root, 'oauth.db'))).toBe(true);
  server = await start();
  expect((await callWith(front.mcp, tokens.access_token, 'sales')).status).toBe(200);
  const renewed = await refresh(String(tokens.refresh_token));
  expect((await callWith(front.mcp, renewed.access_token, 'sales')).status).toBe(200);
});

test('a function stores sessions in DynamoDB: they are refreshed and ended', async () => {
  const dynamo = await startDynamo();
  const persistence = `{ type: dynamodb, table: ${TABLE}, endpoint: "${dynamo.url}" }`;
  const { front, idp, folder } = await build('aws-lambda', persistence);
  const environment = { ...SECRETS, ...AWS_ENV };
  const zip = join(folder, 'function.zip');
  const started = await startFunction(zip, { gateway: 'function-url', environment });
  onTestFinished(() => started.close());
  front.pass(() => started.url);
  await refreshes(front);
  await losesScope(front, idp);
  expect(dynamo.operations).toEqual(expect.arrayContaining(['PutItem', 'GetItem', 'DeleteItem']));
  expect(JSON.stringify([...dynamo.rows.values()])).not.toMatch(/ada|planted/);
});

test('a Worker stores sessions in D1: they are refreshed and ended', async () => {
  const { front, idp, folder } = await build('cloudflare-workers', '{ type: d1, binding: SESSIONS }');
  const binding =
    '[[d1_databases]]\nbinding = "SESSIONS"\ndatabase_name = "sessions"\ndatabase_id = "sessions"\n';
  await appendFile(join(folder, 'wrangler.toml'), binding);
  const started = await startWorker(folder, SECRETS);
  onTestFinished(() => started.close());
  front.pass(() => started.url);
  await refreshes(front);
  await losesScope(front, idp);
});
