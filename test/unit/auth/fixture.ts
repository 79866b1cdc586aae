import { createHash, randomBytes } from 'node:crypto';
import { type App, type AppOptions, createApp } from '../../../src/app.ts';
import { type AuthDeps, createAuth } from '../../../src/auth/create.ts';
import type { Runtime } from '../../../src/call/runtime.ts';
import type { User } from '../../../src/context.ts';
import { checksumOf } from '../../../src/crypto/digest.ts';
import { generateKey } from '../../../src/crypto/keys.ts';
import { OPEN_ACCESS } from '../../../src/http/access.ts';
import type { LogLine } from '../../../src/ports.ts';
import type { AuthSettings, Members, ScopeGrant, TransportSettings } from '../../../src/settings/model.ts';
import { createFakeRuntime, modern, tool } from '../mcp/fixture.ts';
import { createIdp, type Idp } from './idp.ts';

export const BASE = 'https://svc.example';
/** The beginning of the names of cookies at that address. */
export const COOKIES = `__Host-svc-${checksumOf(BASE)}`;
export const REDIRECT = 'https://client.example/back';
export const KEY = generateKey();

/** Settings of a profile that signs people in at the provider of the fixture. */
export function authSettings(idp: Idp, more: Partial<AuthSettings> = {}): AuthSettings {
  return {
    mode: 'issuer',
    provider: {
      id: 'github',
      client_id: 'svc',
      client_secret: 'planted-client-secret',
      callback_path: '/callback',
      auth_url: `${idp.origin}/authorize`,
      token_url: `${idp.origin}/token`,
      api_url: `${idp.origin}/api`,
    },
    verifier: null,
    keys: [KEY],
    not_before: null,
    clients: [
      {
        client_id: 'known',
        name: 'Known',
        client_secret: 'known-secret',
        redirect_uris: [REDIRECT],
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        scopes: ['svc:access', 'sales:read'],
      },
    ],
    blocked_clients: [],
    allow: null,
    grants: [],
    required_scopes: [],
    api_keys: null,
    persistence: null,
    hide_credential_headers: false,
    public: false,
    ...more,
  };
}

/** A rule for some people. */
export function membersOf(some: Partial<Members>): Members {
  return { emails: [], domains: [], groups: [], organizations: [], claims: {}, ...some };
}

/** Grants scopes to some people. */
export function grantTo(some: Partial<Members>, ...scopes: readonly string[]): readonly ScopeGrant[] {
  return scopes.map((scope) => ({ scope, to: membersOf(some) }));
}

const HTTP: TransportSettings['http'] = {
  port: 8000,
  host: '127.0.0.1',
  scheme: 'http',
  base_url: BASE,
  trust_proxy: false,
  stateless: false,
  allowed_hosts: null,
  allowed_origins: null,
  rate_limit: null,
} as TransportSettings['http'];

export interface Given {
  readonly auth?: Partial<AuthSettings>;
  readonly http?: Partial<TransportSettings['http']>;
  readonly parts?: Partial<AuthDeps>;
  readonly idp?: Idp;
  readonly runtime?: Runtime;
  readonly base?: string;
  readonly app?: Partial<AppOptions>;
}

/** A server with its clock, its log and its identity provider at hand. */
export interface Desk {
  readonly app: App;
  readonly idp: Idp;
  readonly lines: LogLine[];
  /** Users whose calls were made. */
  readonly users: (User | null)[];
  readonly clock: { ms: number };
  readonly base: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  form(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
}

export const TOOLS = [
  tool('nothing', { sql: 'nothing' }),
  { ...tool('sales', { sql: 'numbers' }), scopes: ['sales:read'] },
  { ...tool('audit', { sql: 'numbers' }), scopes: ['audit:read', 'sales:read'] },
];

export function createDesk(given: Given = {}): Desk {
  const idp = given.idp ?? createIdp();
  const clock = { ms: Date.UTC(2026, 5, 1) };
  const lines: LogLine[] = [];
  const users: (User | null)[] = [];
  const fake = createFakeRuntime(TOOLS);
  const runtime = given.runtime ?? {
    ...fake,
    observe: ({ context }: { context: { user: User | null } }) => void users.push(context.user),
  };
  const auth = createAuth({
    settings: { auth: authSettings(idp, given.auth), transport: { http: { ...HTTP, ...given.http } } },
    project: 'demo',
    endpointScopes: ['sales:read', 'audit:read'],
    store: null,
    fetchDocument: null,
    listens: { host: '127.0.0.1' },
    log: (line) => void lines.push(line),
    now: () => clock.ms,
    fetch: idp.fetch,
    ...given.parts,
  });
  const app = createApp({
    runtime: () => runtime,
    version: '1',
    stateless: true,
    log: (line) => void lines.push(line),
    auth,
    access: OPEN_ACCESS,
    ...given.app,
  });
  const base = given.base ?? BASE;
  const host = { host: new URL(base).host };
  const fetch = (path: string, { headers, ...init }: RequestInit = {}) =>
    app.fetch(new Request(new URL(path, base), { ...init, headers: { ...host, ...(headers as object) } }));
  return {
    app,
    idp,
    lines,
    users,
    clock,
    base,
    fetch,
    form: (path, fields, headers = {}) =>
      fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      }),
  };
}

/** A browser: it keeps cookies of the server, and follows redirects to the provider and back. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly desk: Desk;

  constructor(desk: Desk) {
    this.desk = desk;
  }

  async go(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as object), ...(cookie === '' ? {} : { cookie }) };
    const response = await this.desk.fetch(path, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** From an answer of `/authorize` to the redirect that the client gets. */
  async finish(response: Response): Promise<URL> {
    let current = response;
    for (let step = 0; step < 8; step += 1) {
      if (current.status === 200) {
        current = await this.answer(await current.text(), 'allow');
        continue;
      }
      const location = new URL(current.headers.get('location') ?? 'about:blank');
      if (location.origin === this.desk.idp.origin) current = this.desk.idp.authorize(location);
      else if (location.href.startsWith(`${this.desk.base}/callback`)) current = await this.go(location.href);
      else return location;
    }
    throw new Error('the login went in circles');
  }

  /** Presses a button of the consent page. */
  answer(page: string, answer: 'allow' | 'deny', headers: Record<string, string> = {}): Promise<Response> {
    const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? '';
    return this.go('/authorize', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      body: new URLSearchParams({ ticket, answer }).toString(),
    });
  }
}

/** PKCE. */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** A client that has registered itself. */
export async function register(desk: Desk, more: Record<string, unknown> = {}) {
  const response = await desk.fetch('/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Probe',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      ...more,
    }),
  });
  return (await response.json()) as Record<string, string> & { client_id: string };
}

/** The address a client sends a browser to. */
export function authorizePath(
  clientId: string,
  challenge: string,
  more: Record<string, string | null> = {},
): string {
  const fields: Record<string, string | null> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'of-the-client',
    ...more,
  };
  const entries = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return `/authorize?${new URLSearchParams(entries).toString()}`;
}

/** A code for a public client, with what redeems it. */
export async function login(
  desk: Desk,
  more: Record<string, string | null> = {},
  browser: Browser = new Browser(desk),
  registered?: string,
) {
  const client_id = registered ?? (await register(desk)).client_id;
  const { verifier, challenge } = pkce();
  const back = await browser.finish(await browser.go(authorizePath(client_id, challenge, more)));
  const code = back.searchParams.get('code') ?? '';
  const fields = {
    grant_type: 'authorization_code',
    client_id,
    code,
    redirect_uri: more.redirect_uri ?? REDIRECT,
    code_verifier: verifier,
  };
  return { back, code, client_id, fields, browser };
}

/** The tokens of a whole login. */
export async function tokens(desk: Desk, more: Record<string, string | null> = {}) {
  const { fields, client_id, browser } = await login(desk, more);
  const response = await desk.form('/token', fields);
  const body = (await response.json()) as Record<string, string>;
  return { ...body, client_id, browser, status: response.status } as unknown as {
    readonly access_token: string;
    readonly refresh_token: string;
    readonly expires_in: number;
    readonly scope: string;
    readonly client_id: string;
    readonly browser: Browser;
    readonly status: number;
  };
}

/** A call of MCP with a token. */
export function call(
  desk: Desk,
  token: string | null,
  name = 'nothing',
  method = 'tools/call',
): Promise<Response> {
  const { body, headers } = modern(method, method === 'tools/call' ? { name, arguments: {} } : {});
  return desk.fetch('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...headers,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
}
