import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { callLegacy } from '../../../legacy-request.ts';
import { startReceiver } from '../../adapters/otel/receiver.ts';
import { folder, project, Svc } from '../svc.ts';

vi.setConfig({ testTimeout: 60_000 });

/** A module that writes each connection that its process opens to the file CONNECTIONS. */
const RECORDER = `import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const [{ path, host, port }] = Array.isArray(args[0]) ? args[0] : args;
  appendFileSync(process.env.CONNECTIONS, (path ?? host + ':' + port) + '\\n');
  return connect.apply(this, args);
};
`;

const DENIED = `svc: 1
tool:
  name: denied
  policies: { input: [{ condition: "true", action: deny, reason: No. }] }
  source: { code: SELECT 1 AS n }
`;

// Requirements: event.push
it('opens no connection but to the receiver of telemetry, whatever happens to calls and reloads', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const [root, other] = [await project(), folder()];
  const [recorder, connections] = [join(other, 'recorder.mjs'), join(other, 'connections')];
  writeFileSync(recorder, RECORDER);
  writeFileSync(connections, '');
  writeFileSync(join(root, 'tools/denied.yml'), DENIED);
  const site = join(root, 'svc-site.yml');
  writeFileSync(site, `${readFileSync(site, 'utf8')}sql_tools: { enabled: true }\nsecrets: [key]\n`);
  const key = join(other, 'key');
  writeFileSync(key, 'planted');
  const secret = `{ name: key, type: custom, parameters: { key: "file://${key}" } }`;
  const profiles = `{ default: { secrets: [${secret}] } }`;
  const env = {
    SVC_CONFIG_YAML: `svc: 1\nprojects: { demo: { profiles: ${profiles} } }\n`,
    CONNECTIONS: connections,
    NODE_OPTIONS: `--import=${recorder}`,
    SVC_AUDIT_ENABLED: 'true',
    SVC_ADMIN_ENABLED: 'true',
    SVC_ADMIN_SOCKET: join(other, 'admin.sock'),
    SVC_TELEMETRY_ENABLED: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  };
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
  const { url } = JSON.parse((await server.until(/^\{.*\}$/m))[0]);
  const call = async (name: string, args: object) => (await callLegacy(url, name, args)).text();
  expect(await call('hello_world', { name: 'Ada' })).toContain('Hello, Ada!');
  expect(await call('denied', {})).toContain('No.');
  expect(await call('hello_world', {})).toContain('"isError":true');
  expect(await call('execute_sql_query', { sql: 'SELECT nothing' })).toContain('"isError":true');
  server.child.kill('SIGHUP');
  await server.until(/reloaded/, 'stderr');
  rmSync(key);
  server.child.kill('SIGHUP');
  await server.until(/the reload failed/, 'stderr');
  server.child.kill('SIGTERM');
  await server.ended;
  const opened = new Set(readFileSync(connections, 'utf8').trim().split('\n'));
  expect([...opened]).toEqual([new URL(receiver.url).host]);
});
