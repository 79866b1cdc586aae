import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { send, serveWithAdmin } from './admin-server.ts';
import { project } from './svc.ts';

const FILES = {
  'svc-site.yml':
    'svc: 1\nproject: demo\nprofile: default\nsql_tools: { enabled: true }\nprofiles: { staging: { database: { readonly: false } } }\n',
  'tools/five.yml': 'svc: 1\ntool: { name: five, source: { file: five.py } }\n',
  'tools/five.py': 'def five():\n    return 5\n',
  'resources/one.yml':
    'svc: 1\nresource: { uri: "demo://one/{id}", parameters: [{ name: id, type: integer }], source: { code: SELECT $id AS x } }\n',
  'resources/terms.yml':
    'svc: 1\nresource: { uri: "demo://terms", description: Terms., source: { code: SELECT 1 AS x } }\n',
  'prompts/greet.yml':
    'svc: 1\nprompt: { name: greet, description: Greets., messages: [{ prompt: Hello. }] }\n',
};

// Requirements: admin./config, admin./endpoints, admin./status
it('shows another profile, transport and set of features, and endpoints of every kind and language', async () => {
  const root = await project();
  for (const folder of ['resources', 'prompts']) mkdirSync(join(root, folder), { recursive: true });
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(root, path), text);
  const env = {
    SVC_PROFILE: 'staging',
    SVC_TELEMETRY_ENABLED: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  };
  const { socket } = await serveWithAdmin(root, { env, flags: ['--transport', 'sse'] });
  expect((await send(socket, '/config')).body).toMatchObject({
    profile: 'staging',
    database_path: join(root, 'data/db-staging.db'),
    // Two of the project, and the three SQL tools.
    endpoints: { tools: 5, prompts: 1, resources: 2 },
    features: { sql_tools: true, audit_logging: false, telemetry: true },
    transport: 'sse',
  });
  const shown = { enabled: true, status: 'ok', error: null };
  expect((await send(socket, '/endpoints')).body.endpoints).toEqual([
    {
      path: 'prompts/greet.yml',
      type: 'prompt',
      name: 'greet',
      description: 'Greets.',
      language: null,
      ...shown,
    },
    {
      path: 'resources/one.yml',
      type: 'resource',
      name: 'demo://one/{id}',
      description: null,
      language: 'sql',
      ...shown,
    },
    {
      path: 'resources/terms.yml',
      type: 'resource',
      name: 'demo://terms',
      description: 'Terms.',
      language: 'sql',
      ...shown,
    },
    { path: 'tools/five.yml', type: 'tool', name: 'five', description: null, language: 'python', ...shown },
    expect.objectContaining({ path: 'tools/hello_world.yml', type: 'tool', language: 'sql', ...shown }),
  ]);
  const { uptime, uptime_seconds } = await vi.waitFor(async () => {
    const { body } = await send(socket, '/status');
    expect(body).toMatchObject({ profile: 'staging', uptime_seconds: expect.any(Number) });
    expect(body.uptime_seconds).toBeGreaterThan(0);
    return body;
  }, 20_000);
  expect(secondsOf(uptime)).toBe(uptime_seconds);
});

/** The seconds of an uptime such as `1h 2m 3s`. */
function secondsOf(uptime: string): number {
  expect(uptime).toMatch(/^(\d+d )?(\d+h )?(\d+m )?\d+s$/);
  const units: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };
  const parts = [...uptime.matchAll(/(\d+)([dhms])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? Number.NaN), 0);
}
