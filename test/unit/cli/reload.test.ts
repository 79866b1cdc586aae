import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callLegacy } from '../../legacy-request.ts';
import { reply, startDouble } from '../adapters/references/http-double.ts';
import { messagesOf, nextMessage } from '../mcp/stream.ts';
import { project, Svc } from './svc.ts';

const SITE = `svc: 1
project: demo
profile: default
secrets: [api]
`;
const config = (folder: string) => `svc: 1
projects:
  demo:
    profiles:
      default:
        secrets:
          - { name: api, type: api, parameters: { api_key: "file://${folder}/key" } }
`;

async function call(url: string, name: string, args: object): Promise<unknown> {
  const response = await callLegacy(url, name, args);
  const text = await response.text();
  const { result } = JSON.parse(text.startsWith('{') ? text : text.replace(/^[\s\S]*?data: /, ''));
  return result.structuredContent;
}

/** Sends SIGHUP to a program at the moment when its first line has run and its code is about to load. */
const HANGUP = `import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.endsWith('/dist/cli/main.js')) process.kill(process.pid, 'SIGHUP');
    return next(url, context);
  },
});`;

// Requirements: signal.SIGHUP
it.each(['serve', 'dev'])('SIGHUP does not end svc %s while it starts', async (command) => {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HANGUP)}` };
  const server = new Svc([command, '--port', '0', '--json'], { cwd: await project(), env });
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  expect(await call(url, 'hello_world', { name: 'x' })).toEqual({ greeting: 'Hello, x!' });
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

it('SIGHUP ends any other command, also one with the name of a server in its arguments', async () => {
  const endless = 'SELECT sum(a.range * b.range) FROM range(100000000) a, range(100000000) b';
  const cwd = await project();
  writeFileSync(join(cwd, 'dev'), endless);
  const running = new Svc(['query', '--file', 'dev'], { cwd });
  // Before its first line has run, SIGHUP would end any program.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const hangups = setInterval(() => running.child.kill('SIGHUP'), 100);
  expect(await running.ended).toMatchObject({ signal: 'SIGHUP' });
  clearInterval(hangups);
});

// Requirements: env.SVC_CONFIG, feature.reload, reread.files, signal.SIGHUP, transition.reload
it('D13: SIGHUP resolves references anew; one that fails changes nothing', async () => {
  const root = await project();
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  mkdirSync(join(root, 'private'));
  writeFileSync(join(root, 'private/key'), 'first');
  writeFileSync(join(root, 'private/config.yml'), config(join(root, 'private')));
  const env = { SVC_CONFIG: join(root, 'private/config.yml') };
  const server = new Svc(['serve', '--port', '0', '--json', '--debug'], { cwd: root, env });
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  const answers = async () =>
    expect(await call(url, 'hello_world', { name: 'x' })).toEqual({ greeting: 'Hello, x!' });
  server.child.kill('SIGHUP');
  await server.until(/reloaded/, 'stderr');
  await answers();
  writeFileSync(join(root, 'private/config.yml'), 'svc: [broken');
  rmSync(join(root, 'private/key'));
  server.child.kill('SIGHUP');
  await server.until(/the reload failed, the old values stay/, 'stderr');
  expect(server.stderr).toContain('private/key');
  await answers();
  writeFileSync(join(root, 'private/key'), 'second');
  const again = server.until(/(reloaded[\s\S]*){2}/, 'stderr');
  server.child.kill('SIGHUP');
  await again;
  await answers();
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  expect(server.stderr).not.toMatch(/first|second/);
});

it('tells clients that resources may have changed, because a reload opens the database anew', async () => {
  const root = await project();
  mkdirSync(join(root, 'resources'), { recursive: true });
  writeFileSync(
    join(root, 'resources/hours.yml'),
    'svc: 1\nresource: { uri: "shop://hours", source: { code: SELECT 1 AS x } }\n',
  );
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root });
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const notifications = { resourceSubscriptions: ['shop://hours'], toolsListChanged: true };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications, _meta },
    }),
  });
  const messages = messagesOf(response);
  // The lists of `svc serve` never change.
  const { params } = await nextMessage(messages);
  expect(params).toMatchObject({ notifications: { resourceSubscriptions: ['shop://hours'] } });
  expect(params).not.toHaveProperty('notifications.toolsListChanged');
  server.child.kill('SIGHUP');
  expect(await nextMessage(messages)).toMatchObject({
    method: 'notifications/resources/updated',
    params: { uri: 'shop://hours' },
  });
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

// Requirements: transition.reload
it('takes up a SIGHUP that comes while the server starts', { timeout: 60_000 }, async () => {
  const root = await project();
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  let asked = 0;
  const vault = await startDouble((_request, response) => {
    asked += 1;
    if (asked === 1) server.child.kill('SIGHUP');
    // the signal has arrived before what it was sent with
    reply(response, 200, { data: { data: { key: `value ${asked}` }, metadata: {} } });
  });
  writeFileSync(
    join(root, 'config.yml'),
    `vault: { enabled: true, address: "${vault.url}", token_env: TOKEN }\n${config('').replace('file:///key', 'vault://secret/api#key')}`,
  );
  const env = { SVC_CONFIG: join(root, 'config.yml'), TOKEN: 't' };
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
  await server.until(/^.*\n/);
  await server.until(/reloaded/, 'stderr');
  expect(asked).toBe(2);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});
