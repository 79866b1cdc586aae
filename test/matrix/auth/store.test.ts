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
          keycloak:
            client_id: ${client.id}
            client_secret: "\${KEYCLOAK_SECRET}"
            server_url: ${serverUrl}
            realm: ${realm}
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
  await writeFile(join(root, 'user.yml'), userFile(idp, front.origin, persistence));
  await buildTarget({ root, target, out: join(out, target), config: 'user.yml' });
  return { front, folder: join(out, target) };
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

test('a function stores sessions in DynamoDB: they are refreshed and ended', async () => {
  const dynamo = await startDynamo();
  const persistence = `{ type: dynamodb, table: ${TABLE}, endpoint: "${dynamo.url}" }`;
  const { front, folder } = await build('aws-lambda', persistence);
  const environment = { ...SECRETS, ...AWS_ENV };
  const zip = join(folder, 'function.zip');
  const started = await startFunction(zip, { gateway: 'function-url', environment });
  onTestFinished(() => started.close());
  front.pass(() => started.url);
  await refreshes(front);
  expect(dynamo.operations).toEqual(expect.arrayContaining(['PutItem', 'GetItem', 'DeleteItem']));
  expect(JSON.stringify([...dynamo.rows.values()])).not.toMatch(/ada|planted/);
});

test('a Worker stores sessions in D1: they are refreshed and ended', async () => {
  const { front, folder } = await build('cloudflare-workers', '{ type: d1, binding: SESSIONS }');
  const binding =
    '[[d1_databases]]\nbinding = "SESSIONS"\ndatabase_name = "sessions"\ndatabase_id = "sessions"\n';
  await appendFile(join(folder, 'wrangler.toml'), binding);
  const started = await startWorker(folder, SECRETS);
  onTestFinished(() => started.close());
  front.pass(() => started.url);
  await refreshes(front);
});
