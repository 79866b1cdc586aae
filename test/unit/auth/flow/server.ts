import { type HttpServer, startHttpServer } from '../../../../adapters/node/http/server.ts';
import { createSseEndpoint } from '../../../../adapters/sse/endpoint.ts';
import { type App, createApp } from '../../../../src/app.ts';
import { createAuth } from '../../../../src/auth/create.ts';
import { endpointScopes } from '../../../../src/auth/scopes.ts';
import { generateKey } from '../../../../src/crypto/keys.ts';
import { LOCAL_ACCESS } from '../../../../src/http/access.ts';
import type { LogLine, TokenStore } from '../../../../src/ports.ts';
import type { AuthSettings, TransportSettings } from '../../../../src/settings/model.ts';
import { type Served, serveTree, type Tree } from '../../call/project.ts';

const TREE: Tree = {
  'tools/whoami.yml': `svc: 1
tool:
  name: whoami
  description: Who asks
  return:
    type: object
    properties:
      email: { type: string, nullable: true }
      username: { type: string, nullable: true }
      provider: { type: string, nullable: true }
      token: { type: string, nullable: true }
  source:
    code: >-
      SELECT get_user_email() AS email, get_username() AS username, get_user_provider() AS provider,
      get_user_external_token() AS token
`,
  'tools/audit.yml': `svc: 1
tool:
  name: audit
  description: For administrators
  policies:
    input:
      - { condition: "user.role != 'admin'", action: deny, reason: Administrators only }
      - { condition: "!user.email.endsWith('@example.com')", action: deny, reason: Own people only }
  source: { code: SELECT 1815 AS year }
`,
  'tools/restricted.yml': `svc: 1
tool:
  name: restricted
  description: For holders of a scope
  scopes: [admin:write]
  source: { code: SELECT 1815 AS year }
`,
};

/** A project that tells who asks, over a real database. */
export const serveProject = (): Promise<Served> => serveTree(TREE, 'SELECT 1');

/** A server of that project, over real HTTP. */
export interface FlowServer {
  readonly mcp: URL;
  /** Of the transport sse, where it is offered. */
  readonly sse: URL;
  readonly callback: string;
  readonly lines: readonly LogLine[];
  close(): Promise<void>;
}

export interface FlowOptions {
  readonly served: Served;
  /** What signs people in; asked with the address that the provider sends them back to. */
  readonly auth: (callback: string) => Partial<AuthSettings>;
  readonly store?: TokenStore;
  readonly transport?: 'sse';
}

/** Nobody signs in. */
export const NONE: AuthSettings = {
  mode: 'issuer',
  provider: null,
  verifier: null,
  keys: [],
  not_before: null,
  clients: [],
  blocked_clients: [],
  allow: null,
  grants: [],
  required_scopes: [],
  api_keys: null,
  persistence: null,
  hide_credential_headers: false,
  public: false,
};

/** Listens first, because the provider must know the address before anything is configured. */
export async function startServer({ served, auth, store, transport }: FlowOptions): Promise<FlowServer> {
  const lines: LogLine[] = [];
  const log = (line: LogLine) => void lines.push(line);
  let app: App | null = null;
  const late: App = {
    fetch: (request, extra) => app?.fetch(request, extra) ?? Promise.reject(new Error('early')),
  };
  const server: HttpServer = await startHttpServer({ app: late, host: '127.0.0.1', port: 0, graceMs: 100 });
  const http: TransportSettings['http'] = {
    port: server.port,
    host: '127.0.0.1',
    scheme: 'http',
    base_url: null,
    trust_proxy: false,
    stateless: true,
    allowed_hosts: null,
    allowed_origins: null,
    rate_limit: null,
  };
  const callback = `${server.url}/callback`;
  const made = createAuth({
    settings: {
      auth: { ...NONE, keys: [generateKey()], ...auth(callback) },
      transport: { provider: transport ?? 'streamable-http', http },
    },
    project: 'flow',
    endpointScopes: endpointScopes(served.runtime.catalog),
    store: store ?? null,
    fetchDocument: null,
    listens: { host: '127.0.0.1' },
    log,
  });
  const options = { runtime: () => served.runtime, version: '1', stateless: true, log, auth: made };
  const sse = createSseEndpoint({ runtime: () => served.runtime, version: '1' });
  app = createApp({ ...options, access: LOCAL_ACCESS, ...(transport === 'sse' ? { sse } : {}) });
  const close = async () => {
    await sse.close();
    await server.close();
  };
  return { mcp: new URL(`${server.url}/mcp`), sse: new URL(`${server.url}/sse`), callback, lines, close };
}
