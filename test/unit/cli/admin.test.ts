import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rotatedName } from '../../../adapters/audit/audit-files.ts';
import { toRequestPath } from '../../../cli/commands/admin.ts';
import { VERSION } from '../../../src/version.ts';
import { callLegacy } from '../../legacy-request.ts';
import { send, serveWithAdmin } from './admin-server.ts';
import { folder, project, Svc, svc } from './svc.ts';

type Kind =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'list'
  | 'text or null'
  | { readonly [field: string]: Kind };

/** Transcribed from spec.md, "Admin API": each field with its type, and no others. */
const FIELDS: Record<string, Kind> = {
  '/health': { status: 'string', timestamp: 'string' },
  '/status': {
    status: 'string',
    version: 'string',
    uptime: 'string',
    uptime_seconds: 'integer',
    pid: 'integer',
    profile: 'string',
    mode: 'string',
    debug: 'boolean',
    reload: {
      in_progress: 'boolean',
      draining: 'boolean',
      active_requests: 'integer',
      last_reload: 'text or null',
      last_reload_status: 'text or null',
      last_reload_error: 'text or null',
    },
    admin_socket: { path: 'string' },
  },
  '/config': {
    status: 'string',
    project: 'string',
    profile: 'string',
    repository_path: 'string',
    database_path: 'string',
    readonly: 'boolean',
    debug: 'boolean',
    endpoints: { tools: 'integer', prompts: 'integer', resources: 'integer' },
    features: { sql_tools: 'boolean', audit_logging: 'boolean', telemetry: 'boolean' },
    transport: 'string',
  },
  '/endpoints': { endpoints: 'list' },
  '/system/info': {
    boot_time_seconds: 'integer',
    cpu_count_physical: 'integer',
    cpu_count_logical: 'integer',
    memory_total_bytes: 'integer',
  },
  '/system/cpu': {
    percent: 'number',
    per_cpu_percent: 'list',
    load_avg_1min: 'number',
    load_avg_5min: 'number',
    load_avg_15min: 'number',
  },
  '/system/memory': {
    total_bytes: 'integer',
    available_bytes: 'integer',
    used_bytes: 'integer',
    free_bytes: 'integer',
    percent: 'number',
    swap_total_bytes: 'integer',
    swap_used_bytes: 'integer',
    swap_free_bytes: 'integer',
    swap_percent: 'number',
    svc_process_rss_bytes: 'integer',
    svc_process_vms_bytes: 'integer',
  },
  '/system/disk': {
    total_bytes: 'integer',
    used_bytes: 'integer',
    free_bytes: 'integer',
    percent: 'number',
    read_bytes: 'integer',
    write_bytes: 'integer',
    read_count: 'integer',
    write_count: 'integer',
  },
  '/system/network': {
    bytes_sent: 'integer',
    bytes_recv: 'integer',
    packets_sent: 'integer',
    packets_recv: 'integer',
    errin: 'integer',
    errout: 'integer',
    dropin: 'integer',
    dropout: 'integer',
  },
  '/system/process': {
    pid: 'integer',
    status: 'string',
    cpu_percent: 'number',
    memory_rss_bytes: 'integer',
    memory_vms_bytes: 'integer',
    num_threads: 'integer',
    num_fds: 'integer',
  },
  '/audit/query': { records: 'list', count: 'integer' },
  '/audit/stats': {
    total_records: 'integer',
    by_type: { tool: 'integer', resource: 'integer', prompt: 'integer' },
    by_status: { success: 'integer', error: 'integer' },
    by_policy: { allow: 'integer', deny: 'integer', 'n/a': 'integer' },
    earliest_timestamp: 'text or null',
    latest_timestamp: 'text or null',
  },
};

/** Transcribed from spec.md, the query parameters of `/audit/query`. */
const QUERY = [
  'schema_name',
  'start_time',
  'end_time',
  'operation_type',
  'operation_name',
  'operation_status',
  'user_id',
  'trace_id',
  'limit',
  'offset',
];

const nameOf = ({ name }: { readonly name: string }) => name;

function kindOf(value: unknown, asked: Kind): Kind {
  if (typeof asked === 'object') {
    const entries = Object.entries(value as object).map(([name, inner]) => [
      name,
      kindOf(inner, asked[name] ?? 'string'),
    ]);
    return Object.fromEntries(entries);
  }
  if (asked === 'text or null' && (value === null || typeof value === 'string')) return asked;
  if (Array.isArray(value)) return 'list';
  if (asked === 'integer' && Number.isInteger(value)) return asked;
  return typeof value as Kind;
}

async function serve(env: Record<string, string> = {}, files: Record<string, string> = {}) {
  const root = await project();
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  writeFileSync(join(root, 'tools/broken.yml'), 'svc: 1\ntool: { nome: x }\n');
  writeFileSync(
    join(root, 'tools/off.yml'),
    'svc: 1\ntool: { name: off, enabled: false, source: { code: SELECT 1 AS x } }\n',
  );
  return { root, ...(await serveWithAdmin(root, { env: { SVC_AUDIT_ENABLED: 'true', ...env } })) };
}

const REFUSED = [
  ['GET', '/nope', 404, 'not_found'],
  ['DELETE', '/status', 405, 'method_not_allowed'],
  ['GET', '/reload', 405, 'method_not_allowed'],
  ['GET', '/audit/query?limit=0', 400, 'bad_request'],
  ['GET', '/audit/query?limit=1001', 400, 'bad_request'],
  ['GET', '/audit/query?operation_type=table', 400, 'bad_request'],
  ['GET', '/audit/query?start_time=yesterday', 400, 'bad_request'],
  ['GET', '/audit/query?nope=1', 400, 'bad_request'],
] as const;

describe('the admin API', () => {
  // Requirements: admin./audit/*, admin./config, admin./endpoints, admin./health, admin./status, admin./system/*
  // Requirements: admin.json
  // Requirements: admin.socket, audit-query.operation_status, auth.admin-socket, condition.endpoint
  // Requirements: env.SVC_ADMIN_ENABLED, env.SVC_ADMIN_SOCKET, error.200, event.admin, feature.admin
  // Requirements: state.endpoint, state.in_progress, version.2
  it('answers with the fields of the spec', async () => {
    const { socket, url } = await serve();
    await callLegacy(url, 'hello_world', { name: 'Ada' });
    await callLegacy(url, 'nobody', {});
    for (const [path, fields] of Object.entries(FIELDS)) {
      const { status, body } = await send(socket, path);
      expect({ path, status, fields: kindOf(body, fields) }).toEqual({ path, status: 200, fields });
    }
    expect((await send(socket, '/endpoints')).body.endpoints).toEqual([
      {
        path: 'tools/broken.yml',
        type: null,
        name: null,
        description: null,
        language: null,
        enabled: false,
        status: 'error',
        error: expect.stringContaining('nome'),
      },
      {
        path: 'tools/hello_world.yml',
        type: 'tool',
        name: 'hello_world',
        description: expect.any(String),
        language: 'sql',
        enabled: true,
        status: 'ok',
        error: null,
      },
      expect.objectContaining({ path: 'tools/off.yml', enabled: false, status: 'ok', error: null }),
    ]);
    const onPort = Object.keys(FIELDS).filter((path) => path !== '/health');
    for (const path of [...onPort, '/reload', '/activity', '/docs', '/redoc', '/openapi.json']) {
      for (const method of ['GET', 'POST'])
        expect([path, (await fetch(new URL(path, url), { method })).status]).toEqual([path, 404]);
    }
    const { records, count } = (await send(socket, '/audit/query?operation_status=error')).body;
    expect({ count, names: records.map((one: { operation_name: string }) => one.operation_name) }).toEqual({
      count: 1,
      names: ['nobody'],
    });
  });

  // Requirements: admin./audit/*, admin./config, admin./health, admin./status, admin./system/*, version.2
  it('answers with the values of this server', async () => {
    const { server, socket, root, url } = await serve();
    for (const name of ['hello_world', 'nobody']) await (await callLegacy(url, name, { name: 'Ada' })).text();
    const get = async (path: string) => (await send(socket, path)).body;
    const { timestamp, ...health } = await get('/health');
    expect(new Date(timestamp).toISOString()).toBe(timestamp);
    expect(health.status).toMatch(/^(ok|healthy)$/);
    const status = await get('/status');
    expect(status).toMatchObject({
      version: VERSION,
      pid: server.child.pid,
      profile: 'default',
      mode: 'readwrite',
      debug: false,
      reload: { in_progress: false, draining: false, active_requests: 0, last_reload: null },
      admin_socket: { path: socket },
    });
    expect(status.uptime_seconds).toBeLessThan(600);
    expect(await get('/config')).toMatchObject({
      project: 'demo',
      profile: 'default',
      repository_path: root,
      database_path: join(root, 'data/db-default.db'),
      readonly: false,
      debug: false,
      endpoints: { tools: 1, prompts: 0, resources: 0 },
      features: { sql_tools: false, audit_logging: true, telemetry: false },
      transport: 'streamable-http',
    });
    const [info, cpu] = [await get('/system/info'), await get('/system/cpu')];
    expect(cpu.per_cpu_percent).toHaveLength(info.cpu_count_logical);
    expect(info.boot_time_seconds * 1000).toBeLessThan(Date.now());
    const [memory, disk] = [await get('/system/memory'), await get('/system/disk')];
    for (const percent of [
      cpu.percent,
      ...cpu.per_cpu_percent,
      memory.percent,
      memory.swap_percent,
      disk.percent,
    ]) {
      expect(percent).toBeGreaterThanOrEqual(0);
      expect(percent).toBeLessThanOrEqual(100);
    }
    expect(memory.total_bytes).toBe(info.memory_total_bytes);
    expect(memory.svc_process_rss_bytes).toBeLessThan(memory.total_bytes);
    expect(disk.used_bytes + disk.free_bytes).toBeLessThanOrEqual(disk.total_bytes);
    const own = await get('/system/process');
    expect(own.pid).toBe(server.child.pid);
    for (const count of [own.memory_rss_bytes, own.num_threads, own.num_fds])
      expect(count).toBeGreaterThan(0);
    const stats = await get('/audit/stats');
    expect(stats).toMatchObject({
      total_records: 2,
      by_type: { tool: 2, resource: 0, prompt: 0 },
      by_status: { success: 1, error: 1 },
      by_policy: { allow: 0, deny: 0, 'n/a': 2 },
    });
    const { records, count } = await get('/audit/query');
    const lines = readFileSync(join(root, 'audit/logs-default.jsonl'), 'utf8').trim().split('\n');
    expect(records).toEqual(lines.map((line) => JSON.parse(line)).toReversed());
    const times = records.map((one: { timestamp: string }) => one.timestamp).toSorted();
    expect([count, times]).toEqual([2, [stats.earliest_timestamp, stats.latest_timestamp]]);
    expect(await get('/audit/query?limit=1&offset=1')).toEqual({ records: records.slice(1), count: 1 });
  });

  it('answers from the audit file while it cannot be written', async () => {
    const { socket, root, url } = await serve();
    await (await callLegacy(url, 'hello_world', { name: 'Ada' })).text();
    expect((await send(socket, '/audit/query')).body.count).toBe(1);
    const path = join(root, 'audit/logs-default.jsonl');
    renameSync(path, rotatedName(path, Date.now()));
    symlinkSync('missing/log.jsonl', path);
    await (await callLegacy(url, 'hello_world', { name: 'Zoe' })).text();
    expect(await send(socket, '/audit/query')).toMatchObject({ status: 200, body: { count: 1 } });
    expect(await send(socket, '/audit/stats')).toMatchObject({ status: 200, body: { total_records: 1 } });
  });

  it('says that audit records go to a pipe, also while its reader is slow, and ends', async () => {
    const root = await project();
    const pipe = join(root, 'records');
    execFileSync('mkfifo', [pipe]);
    const site = join(root, 'svc-site.yml');
    const audit = '    audit: { enabled: true, path: records }\n';
    writeFileSync(site, readFileSync(site, 'utf8').replace(/( {2}default:\n)/, `$1${audit}`));
    const end = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(end));
    const { server, socket, url } = await serveWithAdmin(root);
    const full = writeSync(end, Buffer.alloc(65_536, 10));
    const called = callLegacy(url, 'hello_world', { name: 'Ada' }).then((response) => response.text());
    for (const path of ['/audit/query', '/audit/stats']) {
      expect(await send(socket, path)).toMatchObject({
        status: 404,
        body: { message: expect.stringContaining(`Audit records go to ${pipe}`) },
      });
    }
    expect(readSync(end, Buffer.alloc(full))).toBe(full);
    await called;
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  });

  // Requirements: admin./status, admin./config, env.SVC_READONLY
  it('says that it is read-only, and in debug mode', async () => {
    const { socket } = await serve({ SVC_READONLY: 'true', SVC_DEBUG: 'true' });
    expect((await send(socket, '/status')).body).toMatchObject({ mode: 'readonly', debug: true });
    expect((await send(socket, '/config')).body).toMatchObject({ readonly: true, debug: true });
  });

  // Requirements: admin.mode, admin.stale, auth.admin-socket, limit.socket
  it('is its owner’s alone, says so of nobody else’s file, and takes over what a dead server left', async () => {
    const { server, socket, root, env } = await serve();
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    chmodSync(socket, 0o660);
    expect((await send(socket, '/health')).status).toBe(200);
    expect(statSync(socket).mode & 0o777).toBe(0o660);
    const elsewhere = { ...env, SVC_DATABASE_PATH: 'data/other.db' };
    const second = await svc(['serve', '--port', '0'], root, elsewhere);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain('Another server answers on the admin socket');
    expect((await send(socket, '/health')).status).toBe(200);
    server.child.kill('SIGKILL');
    await server.ended;
    const third = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
    await third.until(/^.*\n/);
    expect((await send(socket, '/health')).status).toBe(200);
    third.child.kill('SIGTERM');
    expect((await third.ended).code).toBe(0);
    await expect(send(socket, '/health')).rejects.toMatchObject({ code: 'ENOENT' });
    writeFileSync(socket, 'mine');
    expect((await svc(['serve', '--port', '0'], root, env)).stderr).toContain('not a socket');
  });

  it('ends a server whose socket cannot be opened, its Python too', { timeout: 60_000 }, async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/one.yml'), 'svc: 1\ntool: { name: one, source: { file: one.py } }\n');
    writeFileSync(join(root, 'tools/one.py'), 'def one():\n    return 1\n');
    const env = { SVC_ADMIN_ENABLED: 'true', SVC_ADMIN_SOCKET: join(root, 'svc-site.yml') };
    const ended = await svc(['serve', '--port', '0'], root, env);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('not a socket') });
  });

  // Requirements: admin.host, admin.payload, audit-query.limit, error.403, error.404, error.body, error.codes
  // Requirements: error.detail
  it('has one body for every error', async () => {
    const { socket } = await serve();
    for (const [method, path, status, error] of REFUSED) {
      const answer = await send(socket, path, method);
      expect({ path, ...answer }).toMatchObject({
        path,
        status,
        body: { error, message: expect.any(String) },
      });
      expect(Object.keys(answer.body)).toEqual(['error', 'message']);
    }
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1']) {
      const elsewhere = await send(socket, '/status', 'GET', host);
      expect(elsewhere).toMatchObject({ status: 403, body: { error: 'access_denied' } });
    }
    for (const host of ['localhost', 'localhost:8000', '127.0.0.1', '[::1]'])
      expect((await send(socket, '/health', 'GET', host)).status).toBe(200);
    const quoted = encodeURIComponent(`x' OR '1'='1`);
    expect((await send(socket, `/audit/query?operation_name=${quoted}`)).body).toEqual({
      records: [],
      count: 0,
    });
  });

  // Requirements: error.detail
  it('tells details in debug mode only', async () => {
    const { socket } = await serve({ SVC_DEBUG: 'true' });
    expect((await send(socket, '/nope')).body).toMatchObject({
      detail: expect.stringContaining('not_found'),
    });
  });

  // Requirements: admin./openapi.json, admin.payload, version.4, version.5
  it('describes itself in OpenAPI 3.1', async () => {
    const { socket } = await serve();
    const { body } = await send(socket, '/openapi.json');
    expect(body.openapi).toMatch(/^3\.1\./);
    expect(await new Validator().validate(body)).toMatchObject({ valid: true });
    expect(Object.keys(body.paths).toSorted()).toEqual(
      [...Object.keys(FIELDS), '/activity', '/reload'].toSorted(),
    );
    expect(Object.keys(body.paths).filter((path) => /\/v?\d/.test(path))).toEqual([]);
    const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods as object).map(([method, operation]) => ({ path, method, ...operation })),
    );
    expect(operations.filter(({ requestBody }) => requestBody !== undefined)).toEqual([]);
    const asked = operations.filter(({ parameters }) => parameters !== undefined);
    expect(asked.map(({ path, parameters }) => [path, parameters.map(nameOf).toSorted()])).toEqual([
      ['/audit/query', QUERY.toSorted()],
    ]);
    expect(operations.filter(({ method }) => method === 'post').map(({ path }) => path)).toEqual(['/reload']);
  });

  // Requirements: admin./reload, transition.at-once, transition.reload, transition.succeeds
  it('reloads, and tells how it went', async () => {
    const { socket, root } = await serve();
    const begun = await send(socket, '/reload', 'POST');
    expect(begun).toMatchObject({
      status: 200,
      body: {
        status: 'reload_initiated',
        timestamp: expect.any(String),
        reload_request_id: expect.any(String),
        message: expect.stringMatching(/poll \/status/i),
      },
    });
    expect(new Date(begun.body.timestamp).toISOString()).toBe(begun.body.timestamp);
    const settled = async () => {
      for (;;) {
        const { reload } = (await send(socket, '/status')).body;
        if (!reload.in_progress) return reload;
      }
    };
    const { last_reload, ...rest } = await settled();
    expect(rest).toMatchObject({ last_reload_status: 'success', last_reload_error: null });
    expect(new Date(last_reload).toISOString()).toBe(last_reload);
    expect(last_reload >= begun.body.timestamp).toBe(true);
    const told = await svc(['admin', 'status', '--json', '--socket', socket], root);
    expect(JSON.parse(told.stdout)).toMatchObject({ reload: { last_reload_status: 'success' } });
  });

  // Requirements: condition.reload, state.last_reload_error, transition.fails, transition.succeeds
  it('tells of a reload that failed and goes on with the old values', { timeout: 60_000 }, async () => {
    const key = join(folder(), 'key.txt');
    writeFileSync(key, 'one');
    const SVC_CONFIG_YAML = `svc: 1
projects: { demo: { profiles: { default: { secrets: [{ name: s, type: api, parameters: { k: "file://${key}" } }] } } } }
`;
    const python = 'from svc.runtime import config\ndef key():\n    return config.get_secret("s")["k"]\n';
    const files = {
      'svc-site.yml': 'svc: 1\nproject: demo\nprofile: default\nsecrets: [s]\n',
      'tools/key.yml': 'svc: 1\ntool: { name: key, source: { file: key.py } }\n',
      'tools/key.py': python,
    };
    const { socket, url } = await serve({ SVC_CONFIG_YAML }, files);
    const value = async () => (await callLegacy(url, 'key', {})).text();
    expect(await value()).toContain('"one"');
    const reload = async () => {
      await send(socket, '/reload', 'POST');
      for (;;) {
        const { reload } = (await send(socket, '/status')).body;
        if (!reload.in_progress) return reload;
      }
    };
    rmSync(key);
    expect(await reload()).toMatchObject({
      last_reload_status: 'error',
      last_reload_error: expect.stringContaining('key.txt'),
    });
    expect(await value()).toContain('"one"');
    writeFileSync(key, 'two');
    expect(await reload()).toMatchObject({ last_reload_status: 'success', last_reload_error: null });
    expect(await value()).toContain('"two"');
  });

  // Requirements: admin./docs, admin./redoc
  it('has pages that load nothing from elsewhere', async () => {
    const { socket } = await serve();
    for (const path of ['/docs', '/redoc']) {
      const { status, type, body } = await send(socket, path);
      expect({ path, status, type }).toEqual({
        path,
        status: 200,
        type: expect.stringContaining('text/html'),
      });
      expect(body).toContain('/audit/query');
      expect(body).not.toMatch(/(src|href)="(https?:)?\/\//);
      for (const field of ['last_reload_error', 'svc_process_rss_bytes', 'reload_request_id'])
        expect(body).toContain(field);
      const sends = [...body.matchAll(/<form data-path="([^"]+)"/g)].map(([, asked]) => asked);
      const all = [...Object.keys(FIELDS), '/activity', '/reload'];
      expect([path, sends.toSorted()]).toEqual([path, path === '/docs' ? all.toSorted() : []]);
    }
  });

  // Requirements: admin.enabled, command.serve, condition.admin, env.SVC_ADMIN_ENABLED
  it.each([{}, { SVC_ADMIN_ENABLED: 'false' }])('is off, has no socket and says so with %j', async (env) => {
    const root = await project();
    const socket = join(root, 'run/svc.sock');
    mkdirSync(join(root, 'run'));
    const all = { SVC_ADMIN_SOCKET: socket, ...env };
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env: all });
    await server.until(/the admin API is disabled/, 'stderr');
    const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
    expect((await fetch(new URL('/health', url))).status).toBe(200);
    expect(existsSync(socket)).toBe(false);
    await expect(send(socket, '/health')).rejects.toMatchObject({ code: 'ENOENT' });
    const asked = await svc(['admin', '--socket', socket], root);
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC_ADMIN_ENABLED=true') });
  });

  it('is not taken from a server that only listens', async () => {
    const root = await project();
    const socket = join(root, 'taken.sock');
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(socket, resolve));
    onTestFinished(() => void other.close());
    const env = { SVC_ADMIN_ENABLED: 'true', SVC_ADMIN_SOCKET: socket };
    expect((await svc(['serve', '--port', '0'], root, env)).stderr).toContain('Another server');
  });
});

describe('svc admin', () => {
  it.each([
    ['status', '/status'],
    ['/audit/query?limit=5', '/audit/query?limit=5'],
    [
      'audit/query?operation_name=größte Bestellung',
      '/audit/query?operation_name=gr%C3%B6%C3%9Fte+Bestellung',
    ],
    [
      'audit/query?start_time=2026-08-01T12:00:00+02:00',
      '/audit/query?start_time=2026-08-01T12%3A00%3A00%2B02%3A00',
    ],
    ['audit/query?operation_name=a%20b&user_id=x=y', '/audit/query?operation_name=a+b&user_id=x%3Dy'],
    ['audit/query?limit=1&limit=2', '/audit/query?limit=1&limit=2'],
    ['audit/query?operation_name=100%', '/audit/query?operation_name=100%25'],
    ['größte', '/gr%C3%B6%C3%9Fte'],
    ['a b%2Fc', '/a%20b%2Fc'],
  ])('sends the path as it is meant: %s', (given, path) => {
    expect(toRequestPath(given)).toBe(path);
  });

  it('takes a filter with a space, a letter beyond ASCII and an offset', { timeout: 60_000 }, async () => {
    const root = await project();
    const { socket } = await serveWithAdmin(root, { env: { SVC_AUDIT_ENABLED: '1' } });
    const query = 'audit/query?operation_name=größte Bestellung&start_time=2026-08-01T12:00:00+02:00';
    const { code, stdout } = await svc(['admin', query, '--json', '--socket', socket], root);
    expect([code, JSON.parse(stdout)]).toEqual([0, { records: [], count: 0 }]);
  });
});
