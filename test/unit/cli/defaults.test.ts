import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { sendLegacy } from '../../legacy-request.ts';
import { startReceiver } from '../adapters/otel/receiver.ts';
import { folder, Svc, svc } from './svc.ts';

// each starts several programs
vi.setConfig({ testTimeout: 60_000 });

const SITE = 'svc: 1\nproject: demo\nprofile: default\n';
const TOOL = (name: string, sql: string) => `svc: 1\ntool:\n  name: ${name}\n  source: { code: ${sql} }\n`;

/** A project with the three required fields and two tools. */
function bare(): string {
  const root = folder();
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  mkdirSync(join(root, 'tools'));
  writeFileSync(join(root, 'tools/one.yml'), TOOL('one', 'SELECT 1 AS n'));
  writeFileSync(join(root, 'tools/write.yml'), TOOL('write', 'CREATE TABLE made (n INTEGER)'));
  return root;
}

async function send(url: string, method: string, params: object) {
  const response = await sendLegacy(url, method, params);
  return { status: response.status, result: JSON.parse(await response.text()).result };
}

// Requirements: admin.enabled, condition.admin, env.SVC_ADMIN_ENABLED, env.SVC_TELEMETRY_ENABLED, feature.*
// Requirements: site.audit.enabled, site.database.path, site.database.readonly, site.sql_tools.enabled
// Requirements: site.three-fields, transport.default
it('a project with three fields is served: with a new database, and without any optional feature', async () => {
  const root = bare();
  const [home, collector] = [folder(), await startReceiver()];
  const socket = join(home, 'admin.sock');
  const env = { HOME: home, SVC_ADMIN_SOCKET: socket, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
  const told = JSON.parse((await server.until(/^.*\n/))[0]);
  expect(told).toMatchObject({ transport: 'streamable-http', project: 'demo', readonly: false });
  const { result } = await send(told.url, 'tools/list', {});
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['one', 'write']);
  for (const name of ['one', 'write']) {
    const answer = await send(told.url, 'tools/call', { name, arguments: {} });
    expect([answer.status, answer.result.isError ?? false]).toEqual([200, false]);
  }
  expect(existsSync(socket)).toBe(false);
  server.child.kill('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 0 });
  await collector.close();
  expect(collector.requests).toEqual([]);
  expect(readdirSync(root).toSorted()).toEqual(['data', 'svc-site.yml', 'tools']);
  expect(readFileSync(join(root, 'data/db-default.db')).subarray(8, 12).toString()).toBe('DUCK');
});

// Requirements: site.audit.enabled, site.audit.path, site.database.path, site.drift.path
it('database, audit records and drift baseline lie where the profile says', async () => {
  const root = bare();
  const files =
    'database: { path: own/a.duckdb }, audit: { enabled: true, path: own/b.log }, drift: { path: own/c.json }';
  writeFileSync(join(root, 'svc-site.yml'), `${SITE}profiles: { default: { ${files} } }\n`);
  const env = { HOME: folder() };
  expect(await svc(['run', 'tool', 'write'], root, env)).toMatchObject({ code: 0 });
  expect(await svc(['run', 'tool', 'one'], root, env)).toMatchObject({ code: 0 });
  expect(await svc(['drift-snapshot'], root, env)).toMatchObject({ code: 0 });
  expect(readdirSync(root).toSorted()).toEqual(['own', 'svc-site.yml', 'tools']);
  const read = (name: string) => readFileSync(join(root, 'own', name), 'utf8');
  const records = read('b.log').trimEnd().split('\n');
  expect(records.map((line) => JSON.parse(line).operation_name)).toEqual(['write', 'one']);
  expect(Object.keys(JSON.parse(read('c.json')).tables)).toEqual(['made']);
  const made = await svc(['query', 'SELECT count(*) AS n FROM made', '--json'], root, env);
  expect(made).toMatchObject({ code: 0, stdout: '[{"n":0}]\n' });
});

/** Reports each connection that a program opens, on stderr. */
const WATCHER = `import net from 'node:net';
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...to) {
  process.stderr.write('opens a connection\\n');
  return connect.apply(this, to);
};`;

// Requirements: env.SVC_DISABLE_ANALYTICS
it.each([{}, { SVC_DISABLE_ANALYTICS: 'true' }])(
  'neither a command nor a server opens a connection with %j, except for telemetry',
  async (analytics) => {
    const root = bare();
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(WATCHER)}`;
    const env = { HOME: folder(), NODE_OPTIONS, ...analytics };
    expect(await svc(['run', 'tool', 'one'], root, env)).toMatchObject({ code: 0, stderr: '' });
    const collector = await startReceiver();
    const telemetry = { SVC_TELEMETRY_ENABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const stderrOf = async (more: Record<string, string>) => {
      const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env: { ...env, ...more } });
      const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
      expect(await send(url, 'tools/call', { name: 'one', arguments: {} })).toMatchObject({ status: 200 });
      server.child.kill('SIGTERM');
      return (await server.ended).stderr;
    };
    expect(await stderrOf({})).not.toContain('opens a connection');
    expect(await stderrOf(telemetry)).toContain('opens a connection');
    await collector.close();
  },
);
