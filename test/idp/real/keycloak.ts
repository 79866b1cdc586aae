import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { IMPORT, REALM } from './realm.ts';

const ADMIN = { username: 'admin', password: 'planted-admin' };
const ARGS = ['start', '--optimized', '--cache=local', '--http-enabled=true', '--http-host=127.0.0.1'];

/** A real Keycloak with a realm of ours. */
export interface Keycloak {
  readonly url: string;
  /** Asks the admin REST API below the realm. Throws if Keycloak refuses. */
  admin(method: string, path: string, body?: unknown): Promise<unknown>;
  userId(username: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the Keycloak that `npm run test:idp` installs, on a port of its own, with nothing kept. */
export async function startKeycloak(parts: string): Promise<Keycloak> {
  const child = spawn(
    join(parts, 'keycloak/bin/kc.sh'),
    [...ARGS, '--http-port=0', '--hostname-strict=false'],
    {
      env: {
        ...process.env,
        KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
        JAVA_OPTS_APPEND: '-Xmx512m -XX:TieredStopAtLevel=1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // The script starts Java as a child of its own; both end with their group.
      detached: true,
    },
  );
  const url = await listening(child);
  const ask = await signedIn(url);
  await ask('POST', '', IMPORT);
  const admin: Keycloak['admin'] = (method, path, body) => ask(method, `/${REALM}${path}`, body);
  return {
    url,
    admin,
    userId: async (username) => {
      const found = (await admin('GET', `/users?exact=true&username=${username}`)) as { id: string }[];
      const [user] = found;
      if (user === undefined) throw new Error(`the realm has no user ${username}`);
      return user.id;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'close');
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer) => {
      text += chunk;
      const [, url] = /Listening on: (http:\S+?)\.?\s/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('close', () => reject(new Error(`Keycloak ended early: ${text}`)));
  });
}

/** The admin REST API of all realms. Each call takes a token of its own, because Keycloak's admin tokens last a minute. */
async function signedIn(url: string) {
  const login = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN });
  return async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const token = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: login,
    });
    const { access_token } = (await token.json()) as { access_token: string };
    const response = await fetch(`${url}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Keycloak answered ${method} ${path} with ${response.status}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
}
