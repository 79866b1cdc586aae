import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKey } from '../../../src/crypto/keys.ts';
import { folder, project, Svc } from '../../unit/cli/svc.ts';
import type { Keycloak } from './keycloak.ts';
import { AUDIENCE, CLIENT, REALM } from './realm.ts';

/** A tool for each way to hold a scope, and one for everybody who may use the server. */
const SCOPES = {
  open: '',
  by_group: 'report:read',
  by_realm_role: 'sales:read',
  by_client_role: 'export:run',
};

const RULES = `allow: { groups: [staff] }
          grants:
            - { scope: "report:read", to: { groups: [staff/admins] } }
            - { scope: "sales:read", to: { claims: { realm_roles: [analyst] } } }
            - { scope: "export:run", to: { claims: { client_roles: [exporter] } } }`;

const toolOf = (name: string, scope: string) => `svc: 1
tool:
  name: ${name}
  description: The facts about the caller.
  ${scope === '' ? '' : `scopes: ["${scope}"]`}
  source:
    code: SELECT get_username() AS username, get_user_email() AS email, get_user_external_token() AS token
`;

/** A project that `svc serve` serves behind a real Keycloak. */
export interface Served {
  readonly mcp: URL;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Serves a project whose users sign in with Keycloak, with a store, until the test ends. */
export async function serve({ url }: Keycloak): Promise<Served> {
  const store = join(folder(), 'private');
  mkdirSync(store, { mode: 0o700 });
  const { kid, secret } = generateKey();
  return start(
    `provider: keycloak
          keycloak: { client_id: ${CLIENT.id}, client_secret: "${CLIENT.secret}", server_url: "${url}", realm: ${REALM} }
          persistence: { path: "${join(store, 'oauth.db')}" }
          ${RULES}`,
    { SVC_AUTH_KEYS: `${kid}:${secret}` },
  );
}

/** Serves a project that accepts tokens which Keycloak issues for it, until the test ends. */
export function serveVerifier({ url }: Keycloak): Promise<Served> {
  return start(`mode: verifier
          verifier: { issuer: "${url}/realms/${REALM}", audience: ["${AUDIENCE}"] }
          allow: { claims: { realm_access.roles: [analyst] } }`);
}

async function start(auth: string, keys: Readonly<Record<string, string>> = {}): Promise<Served> {
  const cwd = await project();
  for (const [name, scope] of Object.entries(SCOPES)) {
    writeFileSync(join(cwd, `tools/${name}.yml`), toolOf(name, scope));
  }
  const env = {
    ...keys,
    SVC_CONFIG_YAML: `svc: 1
projects:
  demo:
    profiles:
      default:
        auth:
          ${auth}
`,
  };
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd, env });
  const { url: mcp } = JSON.parse((await server.until(/^.*\n/))[0]);
  return { mcp: new URL(mcp), cwd, env };
}
