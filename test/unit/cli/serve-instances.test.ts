import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateKey } from '../../../src/crypto/keys.ts';
import { createKeycloakIdp, type KeycloakIdp } from '../../idp/keycloak.ts';
import { createFront, type PublicFront } from '../../idp/proxy.ts';
import { sdk1, sdk2, strict } from '../auth/flow/peers.ts';
import { project, Svc, svc } from './svc.ts';

const WHOAMI = `svc: 1
tool:
  name: whoami
  description: Who asks
  return: { type: object }
  source: { code: "SELECT get_user_email() AS email, get_username() AS username" }
`;

let idp: KeycloakIdp;
let front: PublicFront;

beforeAll(async () => {
  [idp, front] = [await createKeycloakIdp(), await createFront()];
  idp.client.redirects.push(front.callback);
  idp.start();
});
afterAll(async () => {
  await front.close();
  await idp.close();
});

const userFile = () => `svc: 1
transport: { http: { base_url: "${front.origin}" } }
projects:
  demo:
    profiles:
      default:
        auth:
          provider: keycloak
          keycloak:
            client_id: ${idp.client.id}
            client_secret: "${idp.client.secret}"
            server_url: ${idp.serverUrl}
            realm: ${idp.realm}
            callback_path: /callback
`;

/** Without state the database is only read, so it must be there. */
async function createFolder(): Promise<string> {
  const root = await project();
  writeFileSync(join(root, 'tools/whoami.yml'), WHOAMI);
  expect((await svc(['query', 'SELECT 1 AS x'], root)).code).toBe(0);
  return root;
}

interface Instance {
  readonly server: Svc;
  readonly url: Promise<URL>;
}

function startInstance(cwd: string, env: Readonly<Record<string, string>>): Instance {
  const server = new Svc(['serve', '--port', '0', '--stateless', '--json'], { cwd, env });
  const url = server.until(/^.*\n/).then(([line]) => new URL(JSON.parse(line).url));
  // who is never asked may end before it is ready
  url.catch(() => undefined);
  return { server, url };
}

it.each([
  { peer: sdk2(), restarted: false },
  { peer: sdk1(), restarted: false },
  { peer: strict, restarted: true },
])(
  '$peer.name signs in at three processes in turn; restarted after every answer: $restarted',
  { timeout: 180_000 },
  async ({ peer, restarted }) => {
    const cwd = await createFolder();
    const { kid, secret } = generateKey();
    const env = { SVC_CONFIG_YAML: userFile(), SVC_AUTH_KEYS: `${kid}:${secret}` };
    const waiting = [1, 2, 3].map(() => startInstance(cwd, env));
    const asked = new Map<string, Instance>();
    front.pass(
      async () => {
        const instance = waiting.shift() ?? startInstance(cwd, env);
        const url = await instance.url;
        asked.set(url.href, instance);
        if (!restarted) waiting.push(instance);
        return url;
      },
      (url) => {
        if (!restarted) return;
        asked.get(url.href)?.server.child.kill('SIGKILL');
        waiting.push(startInstance(cwd, env));
      },
    );
    const client = await peer.signIn(front.mcp);
    for (const _call of [1, 2, 3]) {
      const { text } = await client.call('whoami');
      expect(JSON.parse(text)).toEqual({ email: 'ada@example.com', username: 'ada' });
    }
    await client.close();
    expect(asked.size).toBeGreaterThanOrEqual(restarted ? 8 : 3);
  },
);
