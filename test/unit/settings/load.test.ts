import { describe, expect, it } from 'vitest';
import { PATHS } from '../../../src/served-paths.ts';
import { PROVIDER_IDS } from '../../../src/settings/schema/providers.ts';
import { load, problemsOf, SITE, settingsOf, userFile } from './fixture.ts';

const rowOf = async (key: string, given: Parameters<typeof load>[0]) =>
  (await load(given)).effective.find((row) => row.key === key);

describe('settings', () => {
  // Requirements: auth.1, env.SVC_ADMIN_SOCKET, env.SVC_TELEMETRY_ENABLED, env.SVC_TELEMETRY_METRICS_INTERVAL
  // Requirements: env.SVC_DEBUG, env.SVC_TELEMETRY_TRACING_CONSOLE, limit.metrics, mcp.local, transport.default
  // Requirements: user-file.transport.http.trust_proxy
  it('are whole without any user file', async () => {
    expect(await settingsOf({})).toMatchObject({
      project: 'demo',
      profile: 'dev',
      debug: false,
      database: {
        path: 'data/db-dev.db',
        readonly: false,
        engine: 'auto',
        memoryLimit: null,
        sandbox: false,
        attach: [],
        use: null,
      },
      audit: { enabled: false, path: 'audit/logs-dev.jsonl' },
      admin: { enabled: false, socket: '/run/svc/svc.sock' },
      transport: {
        provider: 'streamable-http',
        http: { port: 8000, host: '127.0.0.1', stateless: false, trust_proxy: false, base_url: null },
      },
      auth: { provider: null, clients: [], required_scopes: [], persistence: null },
      telemetry: { enabled: false, tracing: { console_export: false }, metrics: { export_interval: 60 } },
      secrets: [],
    });
  });

  it.each([
    ['https://MCP.Example.com', 'https://mcp.example.com'],
    ['HTTPS://mcp.example.com:443//', 'https://mcp.example.com'],
    ['https://mcp.example.com:8443/Team/', 'https://mcp.example.com:8443/Team'],
    ['https://b\u00fccher.example/', 'https://xn--bcher-kva.example'],
  ])('have %s as one spelling of the public address', async (written, base_url) => {
    const user = `svc: 1\ntransport: { http: { base_url: "${written}" } }\n`;
    expect((await settingsOf({ user })).transport.http.base_url).toBe(base_url);
  });

  it('show every key that the site file sets, with its line', async () => {
    const site = `${SITE}tool_search: true
schema_profile: gemini
sql_tools:
  enabled: true
  tables: [{ name: orders, hide: [price] }]
`;
    const row = (value: unknown, line: number) => ({ value, source: `svc-site.yml:${line}` });
    expect(await rowOf('tool_search', { site })).toMatchObject(row(true, 4));
    expect(await rowOf('schema_profile', { site })).toMatchObject(row('gemini', 5));
    expect(await rowOf('sql_tools.tables', { site })).toMatchObject(
      row([{ name: 'orders', hide: ['price'] }], 8),
    );
    expect(await rowOf('tool_search', {})).toMatchObject({ value: false, origin: 'default' });
  });

  it('show no credential of an address in the site file or a variable', async () => {
    const repo = 'https://ada:pa55@ext.example.org/duckdb';
    const site = `${SITE}extensions: [{ name: icu, repo: "${repo}" }, { name: json, repo: core }, excel]\n`;
    const env = {
      SVC_EXTENSION_REPOSITORY: 'https://ext.example.org/duckdb?sig=pa55',
      SVC_DATABASE_PATH: 's3://ada:pa55@bucket/shop.duckdb',
    };
    const shown = 'https://ext.example.org/duckdb [REDACTED]';
    expect(await rowOf('extensions', { site, env })).toMatchObject({
      value: [{ name: 'icu', repo: shown }, { name: 'json', repo: 'core' }, { name: 'excel' }],
    });
    expect(await rowOf('extension_repository', { site, env })).toMatchObject({ value: shown });
    const { effective } = await load({ site, env });
    expect(JSON.stringify(effective)).not.toContain('pa55');
    const folder = { SVC_EXTENSION_REPOSITORY: 'ext/', SVC_DATABASE_PATH: 'data/other.duckdb' };
    expect(await rowOf('extension_repository', { env: folder })).toMatchObject({ value: 'ext/' });
    expect(await rowOf('database.path', { env: folder })).toMatchObject({ value: 'data/other.duckdb' });
  });

  it('name the variable that took effect, of two for the same setting', async () => {
    const env = { SVC_LOG_FORMAT: 'json', SVC_LOG: 'human' };
    const { settings, effective } = await load({ env });
    expect(settings?.logging.format).toBe('human');
    expect(effective.find(({ key }) => key === 'logging.format')).toMatchObject({
      value: 'human',
      source: 'SVC_LOG',
    });
  });

  // Requirements: env.SVC_DATABASE_PATH, env.over, user-file.transport.http.port
  it('take the strongest of flag, environment, user file, site file and default', async () => {
    const site = `${SITE}profiles:\n  dev:\n    database: { path: site.db }\n`;
    const user = 'svc: 1\ntransport:\n  http:\n    port: 9000\n';
    const flags = [
      {
        key: 'transport.http.port',
        value: 9100,
        origin: { kind: 'flag' as const, source: '--port' },
      },
    ];
    const port = 'transport.http.port';
    expect(await rowOf(port, {})).toMatchObject({ value: 8000, origin: 'default', source: null });
    expect(await rowOf(port, { user })).toMatchObject({
      value: 9000,
      origin: 'user-file',
      source: 'config.yml:4',
    });
    expect(await rowOf(port, { user, over: { flags } })).toMatchObject({
      value: 9100,
      origin: 'flag',
      source: '--port',
    });
    expect(await rowOf('database.path', { site })).toMatchObject({
      value: 'site.db',
      origin: 'site-file',
      source: 'svc-site.yml:6',
    });
    const env = { SVC_DATABASE_PATH: 'env.db' };
    expect(await rowOf('database.path', { site, env })).toMatchObject({
      value: 'env.db',
      origin: 'environment',
      source: 'SVC_DATABASE_PATH',
    });
    expect((await settingsOf({ site, env })).database.path).toBe('env.db');
  });

  // Requirements: env.SVC_DEBUG
  it('show the level of the log that debugging makes, and why', async () => {
    const user = 'svc: 1\nlogging: { level: ERROR }\n';
    expect(await rowOf('logging.level', { user })).toMatchObject({ value: 'ERROR', source: 'config.yml:2' });
    const env = { SVC_DEBUG: '1' };
    expect(await rowOf('logging.level', { user, env })).toMatchObject({
      value: 'DEBUG',
      source: 'SVC_DEBUG',
    });
    expect(await rowOf('logging.level', { env })).toMatchObject({ value: 'DEBUG', source: 'SVC_DEBUG' });
    const flags = [{ key: 'debug', value: true, origin: { kind: 'flag' as const, source: '--debug' } }];
    expect(await rowOf('logging.level', { user, over: { flags } })).toMatchObject({ source: '--debug' });
    expect((await settingsOf({ user, env })).logging.level).toBe('DEBUG');
    expect((await settingsOf({ user, env: { SVC_DEBUG: '0' } })).logging.level).toBe('ERROR');
  });

  // Requirements: env.SVC_AUDIT_ENABLED, env.SVC_TELEMETRY_METRICS_INTERVAL
  it('take every variable for the profile in use, not for the one the file names (D14, D31)', async () => {
    const site = `${SITE}profiles:\n  dev: {}\n  prod:\n    database: { readonly: true }\n    audit: { enabled: true }\n`;
    const prod = await settingsOf({ site, profile: 'prod' });
    expect(prod.database).toMatchObject({ path: 'data/db-prod.db', readonly: true, engine: 'auto' });
    const env = {
      SVC_READONLY: 'no',
      SVC_DATABASE_PATH: 'x.db',
      SVC_DATABASE_ENGINE: 'native',
      SVC_AUDIT_ENABLED: '0',
      SVC_DEBUG: '1',
      SVC_ADMIN_ENABLED: 'true',
      SVC_ADMIN_SOCKET: '/tmp/s.sock',
      SVC_TELEMETRY_ENABLED: 'yes',
      SVC_TELEMETRY_TRACING_CONSOLE: 'true',
      SVC_TELEMETRY_METRICS_INTERVAL: '5',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_SERVICE_NAME: 'mine',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x,a=b',
      OTEL_RESOURCE_ATTRIBUTES: 'team=data',
    };
    expect(await settingsOf({ site, profile: 'prod', env })).toMatchObject({
      profile: 'prod',
      debug: true,
      database: { path: 'x.db', readonly: false, engine: 'native' },
      audit: { enabled: false },
      admin: { enabled: true, socket: '/tmp/s.sock' },
      logging: { level: 'DEBUG' },
      telemetry: {
        enabled: true,
        endpoint: 'http://collector:4318',
        service_name: 'mine',
        headers: { authorization: 'Bearer x', a: 'b' },
        resource_attributes: { team: 'data' },
        tracing: { enabled: true, console_export: true },
        metrics: { enabled: true, export_interval: 5 },
      },
    });
  });

  // Requirements: user-file.secrets
  it('take secrets from the profile in use (D32)', async () => {
    const site = `${SITE}profiles: { dev: {}, prod: {} }\n`;
    const user = `svc: 1
projects:
  demo:
    profiles:
      dev: { secrets: [{ name: db, type: custom, parameters: { key: dev } }] }
      prod: { secrets: [{ name: db, type: custom, parameters: { key: prod } }] }
`;
    expect((await settingsOf({ site, user, profile: 'prod' })).secrets).toEqual([
      { name: 'db', type: 'custom', parameters: { key: 'prod' } },
    ]);
  });

  // Requirements: env.SVC_DISABLE_ANALYTICS
  it('take SVC_DISABLE_ANALYTICS, which changes nothing: none are sent', async () => {
    const env = { SVC_DISABLE_ANALYTICS: 'true' };
    expect(await problemsOf({ env })).toEqual([]);
    expect(await settingsOf({ env })).toEqual(await settingsOf({}));
  });

  // Requirements: env.over, env.SVC_TELEMETRY_METRICS_INTERVAL, telemetry.*, user-file.telemetry
  it('read the whole of telemetry', async () => {
    const user = userFile(`telemetry:
  enabled: true
  endpoint: http://collector:4318
  service_name: shop
  environment: production
  headers: { authorization: "Bearer \${TOKEN}" }
  tracing: { enabled: false, console_export: true }
  metrics: { enabled: true, export_interval: 15 }
  resource_attributes: { team: data }
`);
    expect((await settingsOf({ user, env: { TOKEN: 't' } })).telemetry).toMatchObject({
      enabled: true,
      endpoint: 'http://collector:4318',
      service_name: 'shop',
      environment: 'production',
      headers: { authorization: 'Bearer t' },
      tracing: { enabled: false, console_export: true },
      metrics: { enabled: true, export_interval: 15 },
    });
    const env = {
      TOKEN: 't',
      SVC_TELEMETRY_ENABLED: 'false',
      SVC_TELEMETRY_TRACING_CONSOLE: 'false',
      SVC_TELEMETRY_METRICS_INTERVAL: '5',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=other,x-team=data',
      OTEL_SERVICE_NAME: 'other',
      OTEL_RESOURCE_ATTRIBUTES: 'team=sales,zone=b',
    };
    expect((await settingsOf({ user, env })).telemetry).toMatchObject({
      enabled: false,
      endpoint: 'http://other:4318',
      service_name: 'other',
      environment: 'production',
      headers: { authorization: 'other', 'x-team': 'data' },
      resource_attributes: { team: 'sales', zone: 'b' },
      tracing: { enabled: false, console_export: false },
      metrics: { enabled: true, export_interval: 5 },
    });
  });

  // Requirements: model.base_url, model.default, model.timeout, user-file.models
  it('read both nestings of models', async () => {
    const user = `svc: 1
models:
  default: slow
  fast: { type: claude, api_key: k, timeout: 30, max_retries: 2, model: fast-1, prices: { input: 3, output: 0.5 } }
  models:
    slow: { type: openai, base_url: https://llm.example }
`;
    const { models } = await settingsOf({ user });
    expect(models.default).toBe('slow');
    expect(models.named).toEqual({
      slow: {
        type: 'openai',
        api_key: null,
        base_url: 'https://llm.example',
        timeout: null,
        max_retries: null,
        model: null,
        prices: null,
      },
      fast: {
        type: 'claude',
        api_key: 'k',
        base_url: null,
        timeout: 30,
        max_retries: 2,
        model: 'fast-1',
        prices: { input: 3, output: 0.5, currency: 'USD' },
      },
    });
  });

  // Requirements: client.grant_types, client.scopes, user-file.auth
  it('read the whole of auth', async () => {
    const user = userFile(`auth:
  provider: keycloak
  keycloak: { client_id: svc, client_secret: s, server_url: https://id.example, realm: main, scope: openid }
  clients: [{ client_id: c, name: C }]
  authorization: { required_scopes: svc:access }
  allow: { emails: ada@example.com }
  grants: [{ scope: sales:read, to: { groups: /staff, claims: { realm_roles: analyst } } }]
  persistence: {}
  not_before: 2026-01-01T00:00:00Z
`);
    expect((await settingsOf({ user })).auth).toEqual({
      mode: 'issuer',
      keys: [],
      not_before: Date.UTC(2026, 0, 1),
      blocked_clients: [],
      provider: {
        id: 'keycloak',
        client_id: 'svc',
        client_secret: 's',
        callback_path: '/callback',
        server_url: 'https://id.example',
        realm: 'main',
        scope: 'openid',
      },
      clients: [
        {
          client_id: 'c',
          name: 'C',
          client_secret: null,
          redirect_uris: [],
          grant_types: ['authorization_code'],
          scopes: ['svc:access'],
        },
      ],
      allow: {
        emails: ['ada@example.com'],
        domains: [],
        groups: [],
        organizations: [],
        claims: {},
      },
      grants: [
        {
          scope: 'sales:read',
          to: {
            emails: [],
            domains: [],
            groups: ['staff'],
            organizations: [],
            claims: { realm_roles: ['analyst'] },
          },
        },
      ],
      required_scopes: ['svc:access'],
      api_keys: null,
      persistence: { type: 'sqlite', path: '~/.svc/oauth.db', auth_encryption_key: null },
      hide_credential_headers: false,
      public: false,
      verifier: null,
    });
  });

  // Requirements: auth.1, provider.none
  it('take the provider none for none', async () => {
    expect((await settingsOf({ user: userFile('auth: { provider: none }\n') })).auth.provider).toBeNull();
  });

  // Requirements: provider-block.*, provider.atlassian, provider.github, provider.google, provider.keycloak
  // Requirements: provider.salesforce
  it.each(PROVIDER_IDS)(
    'take the provider %s with its block, whose secret may be a reference',
    async (id) => {
      const own =
        id === 'keycloak'
          ? { server_url: 'https://id.example', realm: 'main' }
          : id === 'oidc'
            ? { config_url: 'https://id.example/.well-known/openid-configuration' }
            : { auth_url: 'https://id.example/a', token_url: 'https://id.example/t' };
      const block = { client_id: 'c', callback_path: '/back', scope: 'openid email', ...own };
      const user = (secret: string) =>
        userFile(
          `auth: { provider: ${id}, ${id}: ${JSON.stringify({ ...block, client_secret: secret })} }\n`,
        );
      const env = { CLIENT_SECRET: 'planted' };
      const { auth } = await settingsOf({ user: user('${CLIENT_SECRET}'), env });
      expect(auth.provider).toMatchObject({ ...block, id, client_secret: 'planted' });
      expect((await problemsOf({ user: user('${CLIENT_SECRET}') })).join()).toContain('CLIENT_SECRET');
    },
  );

  // Requirements: provider.none
  it('refuse a provider of another name', async () => {
    const user = userFile('auth: { provider: gitlab, gitlab: { client_id: c, client_secret: s } }\n');
    expect((await problemsOf({ user })).join()).toMatch(/gitlab/);
  });

  it('take the server of mode verifier from its own block, or from oidc', async () => {
    const own = userFile(`auth:
  mode: verifier
  verifier: { issuer: https://id.example, audience: https://a.example/mcp }
`);
    const { provider, verifier } = (await settingsOf({ user: own })).auth;
    expect({ provider, verifier }).toEqual({
      provider: null,
      verifier: { issuer: 'https://id.example', audience: ['https://a.example/mcp'] },
    });
    const oidc = userFile(`auth:
  mode: verifier
  provider: oidc
  oidc: { client_id: c, client_secret: s, config_url: https://id.example/t/.well-known/openid-configuration }
`);
    expect((await settingsOf({ user: oidc })).auth.verifier).toEqual({
      issuer: 'https://id.example/t',
      audience: [],
      client_id: 'c',
      client_secret: 's',
    });
  });

  it('take the issuer from the path of config_url, and keep an address with a query', async () => {
    const config_url = 'https://id.example/t/.well-known/openid-configuration?appid=1';
    const user = userFile(`auth:
  mode: verifier
  oidc: { client_id: c, config_url: "${config_url}" }
`);
    expect((await settingsOf({ user })).auth.verifier).toEqual({
      issuer: 'https://id.example/t',
      config_url,
      audience: [],
      client_id: 'c',
    });
  });
});

describe('keys of auth', () => {
  const HASH = 'ab'.repeat(32);
  const user = userFile(`auth:\n  keys: [{ kid: k1, secret: "\${KEY}" }]\n  blocked_clients: ${HASH}\n`);
  const [VAULT = '', FIRST = '', SECOND = ''] = ['in-the-vault', 'first-secret', 'second-secret'].map(
    (name) => name.padEnd(43, '_'),
  );

  it('come from the user file, in its order', async () => {
    const { auth } = await settingsOf({ user, env: { KEY: VAULT } });
    expect(auth).toMatchObject({
      keys: [{ kid: 'k1', secret: VAULT }],
      blocked_clients: [HASH],
      not_before: null,
    });
  });

  it('come from SVC_AUTH_KEYS, which stands above the file, and are never shown', async () => {
    const env = { KEY: VAULT, SVC_AUTH_KEYS: `k2:${SECOND}, k1:${FIRST}` };
    const { settings, effective } = await load({ user, env });
    expect(settings?.auth.keys).toEqual([
      { kid: 'k2', secret: SECOND },
      { kid: 'k1', secret: FIRST },
    ]);
    expect(JSON.stringify(effective)).not.toMatch(/in-the-vault|first-secret|second-secret/);
    expect(effective).toContainEqual({
      key: 'auth.keys[0].secret',
      value: '[REDACTED]',
      origin: 'environment',
      source: 'SVC_AUTH_KEYS',
    });
  });

  it.each([
    ['keys: [{ kid: k1, secret: planted }]', 'keys[0].secret` must be 32 random bytes as base64url'],
    ['keys: [{ kid: a, secret: "${KEY}" }, { kid: a, secret: "${KEY}" }]', 'has two keys of one `kid`'],
    ['blocked_clients: [dcr_planted]', 'blocked_clients[0]` must be a SHA-256: 64'],
    ['persistence: { auth_encryption_key: planted }', 'auth_encryption_key` must have 32 characters or more'],
  ])('are refused with %s', async (written, message) => {
    const [problem, ...others] = await problemsOf({
      user: userFile(`auth:\n  ${written}\n`),
      env: { KEY: VAULT },
    });
    expect([problem, others]).toEqual([expect.stringMatching(/^config\.yml:7 \S+: /), []]);
    expect(problem).toContain(message);
    expect(problem).not.toContain('planted');
  });

  it('are refused by the name of their variable', async () => {
    for (const SVC_AUTH_KEYS of ['k1:planted', `k1:${FIRST},k1:${SECOND}`]) {
      const [problem, ...others] = await problemsOf({ env: { SVC_AUTH_KEYS } });
      expect([problem, others]).toEqual([expect.stringContaining('SVC_AUTH_KEYS: `auth.keys` '), []]);
    }
  });

  it('have a name and a secret each', async () => {
    const { settings, findings } = await load({ env: { SVC_AUTH_KEYS: 'only-a-secret' } });
    expect(settings).toBeNull();
    expect(findings.map(({ message }) => message)).toEqual([
      'SVC_AUTH_KEYS must be kid:secret, several separated by commas (make one with `svc auth keygen`).',
    ]);
  });
});

describe('static clients', () => {
  // Requirements: client.client_id, client.name
  it.each(['client_id', 'name'])('need %s', async (key) => {
    const whole = '{ client_id: c, name: C }';
    const without = whole.replace(new RegExp(`${key}: \\w,? ?`), '');
    const problems = await problemsOf({ user: userFile(`auth: { clients: [${without}] }\n`) });
    expect(problems).toEqual([expect.stringContaining(`clients[0].${key}\` is missing`)]);
  });

  it.each([
    // Requirements: client.client_id
    ['client_id: 5, name: C', 'client_id` must be text'],
    // Requirements: client.name
    ['client_id: c, name: [C]', 'name` must be text'],
    // Requirements: client.client_secret
    ['client_id: c, name: C, client_secret: [s]', 'client_secret` must be text'],
    // Requirements: client.redirect_uris
    ['client_id: c, name: C, redirect_uris: { a: b }', 'redirect_uris` must be'],
    // Requirements: client.grant_types
    ['client_id: c, name: C, grant_types: [implicit]', 'grant_types[0]` must be one of'],
    // Requirements: client.scopes
    ['client_id: c, name: C, scopes: [5]', 'scopes[0]` must be text'],
  ])('are refused with %s', async (client, text) => {
    const problems = await problemsOf({ user: userFile(`auth: { clients: [{ ${client} }] }\n`) });
    expect(problems).toEqual([expect.stringContaining(`clients[0].${text}`)]);
  });
});

describe('static clients that could never get a token', () => {
  // Requirements: client.grant_types
  it('are warned of', async () => {
    const user = userFile(`auth:
  clients:
    - { client_id: a, name: A }
    - { client_id: a, name: B, redirect_uris: "https://b.example/", grant_types: [authorization_code, client_credentials] }
`);
    const { settings, findings } = await load({ user });
    expect(settings).not.toBeNull();
    expect(
      findings.map(({ severity, code, message }) => `${severity} ${code} ${message.split('`')[1]}`),
    ).toEqual([
      'warning client-unusable projects.demo.profiles.dev.auth.clients[0].redirect_uris',
      'warning duplicate-name projects.demo.profiles.dev.auth.clients[1].client_id',
      'warning client-unusable projects.demo.profiles.dev.auth.clients[1].grant_types',
    ]);
  });
});

describe('findings of the configuration', () => {
  // Requirements: provider-block.token_url
  it('name what signing people in needs', async () => {
    const github = (block: string) =>
      userFile(`auth:\n  provider: github\n  github: { client_id: c, ${block} }\n`);
    const elsewhere = 'auth_url: https://a.example/x, token_url: https://b.example/x';
    const about = async (user: string) => (await problemsOf({ user })).join('\n');
    expect(await about(userFile('auth:\n  provider: github\n'))).toContain('missing-field');
    expect(await about(github(`client_secret: s, ${elsewhere}`))).toContain('origins-differ');
    expect((await settingsOf({ user: github(`client_secret: s, ${elsewhere}`) })).auth.provider?.id).toBe(
      'github',
    );
    expect(await about(userFile('auth:\n  mode: verifier\n'))).toContain('`verifier`');
    const asks = 'verifier: { issuer: https://id.example, introspection_url: https://id.example/i }';
    expect(await about(userFile(`auth:\n  mode: verifier\n  ${asks}\n`))).toContain('`client_id`');
  });

  // Requirements: provider-block.token_url
  it.each([
    ['github', 'auth_url: https://git.example/x', 'error missing-field: ', 'https://github.com'],
    ['atlassian', 'auth_url: https://own.example/x', 'error missing-field: ', 'https://auth.atlassian.com'],
    ['google', 'auth_url: https://own.example/x', 'error missing-field: ', 'https://oauth2.googleapis.com'],
    ['github', 'token_url: https://proxy.example/x', 'warning origins-differ: ', 'token_url'],
    ['google', 'token_url: https://proxy.example/x', null, ''],
    ['google', 'auth_url: https://accounts.google.com/o/oauth2/v3/auth', null, ''],
    ['github', 'auth_url: https://github.com/other', null, ''],
    ['salesforce', 'auth_url: https://acme.my.salesforce.com/services/oauth2/authorize', null, ''],
  ])('about one address of %s alone (%s): %s', async (provider, address, start, text) => {
    const block = `{ client_id: c, client_secret: planted, ${address} }`;
    const user = userFile(
      `auth:\n  provider: ${provider}\n  ${provider}: ${block}\n  allow: { emails: [a@b.example] }\n`,
    );
    const { findings } = await load({ user });
    const found = findings.map(
      ({ severity, code, line, message }) => `${severity} ${code}: ${line} ${message}`,
    );
    expect(found).toEqual(start === null ? [] : [expect.stringContaining(start)]);
    expect(found.join('')).toContain(text);
  });

  const callbackAt = (path: string) =>
    userFile(
      `auth:\n  provider: github\n  github: { client_id: c, client_secret: s, callback_path: "${path}" }\n`,
    );

  // Requirements: provider-block.callback_path
  it.each([...Object.values(PATHS), '/mcp/', '/.well-known/oauth-protected-resource'])(
    'name the callback path %s, which would hide a path of the server',
    async (path) => {
      expect(await problemsOf({ user: callbackAt(path) })).toEqual([
        expect.stringMatching(
          /wrong-value: `.*callback_path` is a path that the server uses itself\. \[.*\/callback/,
        ),
      ]);
    },
  );

  // Requirements: provider-block.callback_path
  it.each([
    ['/über', 'must be written as in an address, which makes /%C3%BCber of it.'],
    ['/a/../mcp', 'must be written as in an address, which makes /mcp of it.'],
    ['callback', 'must be a path that begins with `/`.'],
    ['/callback?x=1', 'must be a path that begins with `/`.'],
  ])('name the callback path %s, which no request can have', async (path, message) => {
    expect(await problemsOf({ user: callbackAt(path) })).toEqual([expect.stringContaining(message)]);
  });

  // Requirements: provider-block.callback_path
  it.each(['/callback', '/callback/', '/auth/%C3%BC', '/mcp/callback', '/tokens'])(
    'have none about the callback path %s',
    async (path) => {
      const { auth } = await settingsOf({ user: callbackAt(path) });
      expect(auth.provider?.callback_path).toBe(path);
    },
  );

  it.each(['https://id.example/t?appid=1', 'https://id.example/.well-known/openid-configuration/?appid=1'])(
    'name the address %s, whose query belongs to no discovery document',
    async (config_url) => {
      const oidc = `{ client_id: c, config_url: "${config_url}" }`;
      const user = userFile(`auth:\n  provider: oidc\n  oidc: ${oidc}\n`);
      expect(await problemsOf({ user })).toEqual([
        expect.stringMatching(/^config\.yml:\d+ wrong-value: `.*config_url` has a query or a fragment/),
      ]);
    },
  );

  it.each([
    // Requirements: user-file.svc, version.1
    ['svc: "1"\n', 'config.yml:1 svc-version: `svc` must be the number 1, not the text "1". [Write `svc: 1`'],
    // Requirements: user-file.svc, version.1
    ['svc: 2\n', 'config.yml:1 svc-version: `svc` is 2, and this version of svc supports version 1 only.'],
    // Requirements: user-file.svc, version.1
    [
      'svc: 1.5\n',
      'config.yml:1 svc-version: `svc` is 1.5, and this version of svc supports version 1 only.',
    ],
    ['transport: {}\n', 'config.yml:1 missing-field: `svc` is missing.'],
    [
      'svc: 1\ntransprt: {}\n',
      'config.yml:2 unknown-key: `transprt` is not a known key here. [Did you mean `transport`?]',
    ],
    // Requirements: user-file.transport.http.port
    [
      'svc: 1\ntransport:\n  http: { port: 70000 }\n',
      'config.yml:3 wrong-value: `transport.http.port` must be a whole number from 0 to 65535.',
    ],
    // Requirements: user-file.transport.provider
    ['svc: 1\ntransport: { provider: stdoi }\n', '[Did you mean stdio?]'],
    // Requirements: user-file.auth
    [userFile('auth: github\n'), 'wrong-type: `projects.demo.profiles.dev.auth` must be a map'],
    // Requirements: user-file.telemetry
    [userFile('telemetry: true\n'), 'wrong-type: `projects.demo.profiles.dev.telemetry` must be a map'],
    // Requirements: user-file.secrets
    [userFile('secrets: { db: x }\n'), 'wrong-type: `projects.demo.profiles.dev.secrets` must be a list'],
    // Requirements: user-file.models
    ['svc: 1\nmodels: [claude]\n', 'wrong-type: `models` must be a map'],
    // Requirements: model.timeout
    [
      'svc: 1\nmodels: { fast: { type: claude, timeout: 1.5 } }\n',
      '`models.fast.timeout` must be a whole number',
    ],
    // Requirements: model.max_retries
    [
      'svc: 1\nmodels: { fast: { type: claude, max_retries: 0.5 } }\n',
      '`models.fast.max_retries` must be a whole number',
    ],
    // Requirements: model.type
    ['svc: 1\nmodels: { fast: { type: claud } }\n', 'wrong-value: `models.fast.type` must be one of'],
    // Requirements: model.default
    [
      'svc: 1\nmodels: { default: fsat, fast: { type: claude } }\n',
      'config.yml:2 model-unknown: `models.default` names none of the models: fast. [Did you mean fast?]',
    ],
    [
      userFile('auth: { provider: github }\n'),
      '`projects.demo.profiles.dev.auth.provider` is github, and there is no block `github` beside it.',
    ],
    [
      userFile('auth: { github: { client_id: x } }\n'),
      '`projects.demo.profiles.dev.auth.github.client_secret` is missing.',
    ],
    [
      'svc: 1\nprojects: { dmeo: {} }\n',
      // Requirements: user-file.keys
      'config.yml:2 project-unknown: There is no project demo under `projects`; there are dmeo. [Did you mean dmeo?]',
    ],
    [
      'svc: 1\nprojects: { demo: { profiles: { prod: {}, test: {} } } }\n',
      // Requirements: user-file.keys
      'profile-unknown: There is no profile dev under `projects.demo.profiles`; there are prod, test.',
    ],
    ['svc: 1\nvault: [\n', 'config.yml:3 yaml-syntax: The YAML is not valid at this position.'],
    ['', 'config.yml:1 file-empty: The file is empty. [Add `svc: 1`, or delete the file.]'],
  ])('%j', async (user, text) => {
    expect((await problemsOf({ user })).join('\n')).toContain(text);
  });

  it('never quote a line of a broken file', async () => {
    const problems = await problemsOf({ user: 'svc: 1\npassword: !planted-password\n' });
    expect(problems).toEqual([expect.stringContaining('config.yml:2 yaml-syntax')]);
    expect(problems.join()).not.toContain('planted');
  });

  it('name a variable that does not read', async () => {
    expect(await problemsOf({ env: { SVC_READONLY: 'maybe', SVC_READ_ONLY: '1' } })).toEqual([
      'environment:0 unknown-variable: SVC_READ_ONLY is set, but svc has no such variable. [Did you mean SVC_READONLY?]',
      'environment:0 wrong-value: SVC_READONLY must be true or false. [Correct the variable, or unset it.]',
    ]);
  });

  // Requirements: user-file.keys
  it('do not ask for the project of a user file that has no projects', async () => {
    expect(await problemsOf({ user: 'svc: 1\n' })).toEqual([]);
    expect(await problemsOf({ user: 'svc: 1\nprojects: { demo: }\n' })).toEqual([]);
  });

  // Requirements: secret.name
  it('do not ask that the site names every secret', async () => {
    const user = userFile('secrets: [{ name: db, type: custom, parameters: { key: k } }]\n');
    expect((await settingsOf({ user })).secrets.map(({ name }) => name)).toEqual(['db']);
  });

  // Requirements: secret.name, site.secrets
  it('list secrets of the site that nobody defines', async () => {
    const site = `${SITE}secrets: [db, mail]\n`;
    const user = userFile('secrets: [{ name: db, type: custom }]\n');
    expect(await problemsOf({ site, user })).toEqual([
      'svc-site.yml:4 secret-undefined: The secret mail is not defined for profile dev of project demo. [Define it in the user file under projects.demo.profiles.dev.secrets.]',
    ]);
  });
});
