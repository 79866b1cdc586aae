import { expect, it } from 'vitest';
import type { LogLine } from '../../../src/ports.ts';
import { siteValues } from '../../../src/settings/effective/effective.ts';
import { valueAt } from '../../../src/settings/effective/tree.ts';
import type { Settings } from '../../../src/settings/model.ts';
import { createPythonSettings } from '../../../src/settings/python.ts';
import { loadTree } from '../call/project.ts';

const SECRETS: Settings['secrets'] = [
  {
    name: 'api',
    type: 'api',
    parameters: {
      key: 'planted-key',
      nested: { token: 'planted token/1' },
      id: 'ab',
      host: 'localhost',
      database: 'customers',
      username: 'reporting',
      endpoint: 'https://rates.example/v1',
      url: 'https://svc:planted-password@rates.example/v1',
    },
  },
  { name: 'other', type: 'api', parameters: { key: 'planted-other' } },
];

const SETTINGS = {
  project: 'demo',
  profile: 'default',
  secrets: SECRETS,
  transport: { provider: 'streamable-http', http: { port: 8000 } },
  telemetry: {
    enabled: true,
    headers: { authorization: 'planted-header' },
    service_name: null,
    environment: null,
  },
  models: {
    default: 'm',
    named: { m: { type: 'openai', api_key: 'planted-model', base_url: null, timeout: 5, max_retries: 1 } },
  },
  plugins: { p: { password: 'planted-plugin' } },
} as unknown as Settings;

function settingsOf(lines: LogLine[] = []) {
  const log = (line: LogLine) => void lines.push(line);
  return createPythonSettings({
    settings: () => SETTINGS,
    secrets: ['api'],
    site: null,
    project: 'demo',
    log,
  });
}

it('gives out what the site file names, and says what it does not', () => {
  const lines: LogLine[] = [];
  const settings = settingsOf(lines);
  expect(settings.secret('api')).toEqual(SECRETS[0]?.parameters);
  expect(lines).toEqual([]);
  expect(settings.secret('other')).toBe(null);
  expect(lines[0]?.message).toContain('the secret other, which svc-site.yml does not name');
});

it('tells of the configuration without anything secret', () => {
  const config = settingsOf().config();
  expect(config.site).toMatchObject({ project: 'demo', profile: 'default', secrets: ['api'] });
  expect(config.user).toMatchObject({
    secrets: [{ name: 'api' }, { name: 'other' }],
    models: { default: 'm' },
  });
  expect(JSON.stringify(config)).not.toContain('planted');
});

it('takes what it gave out of texts, and nothing else', () => {
  const settings = settingsOf();
  const text = 'key planted-key, planted%20token%2F1, planted-other, ab';
  const plain = 'reporting on customers of localhost, https://rates.example/v1';
  expect(settings.conceal?.(text)).toBe(text);
  settings.secret('api');
  expect(settings.conceal?.(text)).toBe('key [REDACTED], [REDACTED], planted-other, ab');
  expect(settings.conceal?.(plain)).toBe(plain);
  expect(settings.conceal?.('at https://svc:planted-password@rates.example/v1')).toBe('at [REDACTED]');
});

const SITE = `svc: 1
project: demo
profile: dev
secrets: [api]
limits: { scan_rows: 1000 }
tool_search: true
schema_profile: gemini
sql_tools:
  enabled: true
  tables: [{ name: orders, hide: [note] }]
  list_tables:
    description: Lists the tables of the shop.
    policies: { input: [{ condition: "user.role == 'guest'", action: deny }] }
dbt: { target_path: out }
extensions: [{ name: json }]
profiles:
  dev:
    database: { path: data/dev.db, memory_limit: 1GB }
    python: { interpreter: python3 }
    audit: { enabled: true, retention_days: 30, outputs: true }
`;

it('has every setting of the site file at its path', async () => {
  const { site } = await loadTree({ 'svc-site.yml': SITE });
  if (site === null) throw new Error('the site file is broken');
  const { config } = createPythonSettings({
    settings: () => SETTINGS,
    secrets: site.secrets,
    site,
    project: 'demo',
    log: () => {},
  });
  const found = config().site;
  for (const { path, value } of siteValues(site)) {
    const own = path[0] === 'profiles' ? path.slice(2) : path;
    expect({ [own.join('.')]: valueAt(found, own) }).toEqual({ [own.join('.')]: value });
  }
  expect(found).toMatchObject({
    limits: { scan_rows: 1000 },
    tool_search: true,
    schema_profile: 'gemini',
    sql_tools: { tables: [{ name: 'orders' }], list_tables: { policies: { input: [{ action: 'deny' }] } } },
    audit: { max_file_size: 52_428_800, retention_days: 30, on_error: 'block', inputs: true, outputs: true },
  });
});
