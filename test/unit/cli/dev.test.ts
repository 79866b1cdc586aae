import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { expect, it, onTestFinished, vi } from 'vitest';
import { project, Svc } from './svc.ts';

// a whole program starts here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000 });

const tool = (name: string, sql: string) => `svc: 1
tool:
  name: ${name}
  description: Answers.
  parameters: []
  source: { code: "${sql}" }
`;

async function develop(files: Readonly<Record<string, string>> = {}) {
  const root = await project();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const server = new Svc(['dev', '--port', '0', '--json'], { cwd: root });
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  let told = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    told += 1;
  });
  // what is told before the session listens is lost
  const listening = Promise.withResolvers<void>();
  const watched = async (input: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(input, init);
    if (init?.method === 'GET' && response.ok) listening.resolve();
    return response;
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: watched }));
  await listening.promise;
  onTestFinished(() => client.close());
  const names = async () => (await client.listTools()).tools.map(({ name }) => name).toSorted();
  return { root, server, client, names, told: () => told };
}

/** As most editors save: whole, beside it, and then in its place. */
function save(path: string, text: string): void {
  writeFileSync(`${path}~`, text);
  renameSync(`${path}~`, path);
}

/** So many times on stderr, all together. */
const times = (many: number, text: string) => new RegExp(`(${text}[\\s\\S]*){${many}}`);

it('a session sees tools come, change, break and go, and is told when their list changes', async () => {
  const { root, server, client, names, told } = await develop();
  expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
  expect(await names()).toEqual(['hello_world']);

  save(join(root, 'tools/more.yml'), tool('more', 'SELECT 1 AS x'));
  await vi.waitFor(() => expect(told()).toBe(1), 30_000);
  expect(await names()).toEqual(['hello_world', 'more']);
  const answer = async () => JSON.stringify(await client.callTool({ name: 'more', arguments: {} }));
  expect(await answer()).toContain('"x":1');

  save(join(root, 'tools/more.yml'), tool('more', 'SELECT 2 AS x'));
  await server.until(times(2, 'reloaded: 2 tools'), 'stderr');
  expect(await answer()).toContain('"x":2');
  expect(told()).toBe(1);

  writeFileSync(join(root, 'tools/more.yml'), 'svc: 1\ntool: { nome: x }\n');
  await vi.waitFor(() => expect(told()).toBe(2), 30_000);
  await server.until(/tools\/more\.yml:\d+:\d+ +error/, 'stderr');
  expect(await names()).toEqual(['hello_world']);

  mkdirSync(join(root, 'tools/deep'));
  save(join(root, 'tools/deep/other.yml'), tool('other', 'SELECT 3 AS x'));
  rmSync(join(root, 'tools/more.yml'));
  await vi.waitFor(async () => expect(await names()).toEqual(['hello_world', 'other']), 30_000);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

it('a session is told of all changes that some clients see in the list of tools', async () => {
  const { root, told } = await develop();
  const path = join(root, 'tools/more.yml');
  let expected = 0;
  const isTold = async () => {
    expected += 1;
    await vi.waitFor(() => expect(told()).toBe(expected), 30_000);
  };
  const text = tool('more', 'SELECT 1 AS x');
  save(path, text);
  await isTold();
  save(path, `${text}  scopes: [more]\n`);
  await isTold();
  save(path, `${text}  scopes: [more]\n  view: table\n`);
  await isTold();
  const site = join(root, 'svc-site.yml');
  save(site, `${readFileSync(site, 'utf8')}tool_search: true\n`);
  await isTold();
});

// Requirements: skill.verified
it('a session is told of a resource whose statement changes, and not of a changed tool', async () => {
  const resource = (value: number) =>
    `svc: 1\nresource: { uri: "shop://hours", source: { code: SELECT ${value} AS x } }\n`;
  const { root, server, client } = await develop({
    'resources/hours.yml': resource(1),
    'tools/more.yml': tool('more', 'SELECT 1 AS x'),
  });
  const uris: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void uris.push(params.uri),
  );
  await client.subscribeResource({ uri: 'shop://hours' });
  save(join(root, 'tools/more.yml'), tool('more', 'SELECT 2 AS x'));
  await server.until(/reloaded/, 'stderr');
  expect(uris).toEqual([]);
  save(join(root, 'resources/hours.yml'), resource(2));
  await vi.waitFor(() => expect(uris).toEqual(['shop://hours']), 30_000);
  expect(JSON.stringify(await client.readResource({ uri: 'shop://hours' }))).toContain('2');
});

it('a session is told of a changed skill, whose new text has a new digest', async () => {
  const path = 'skills/ask.md';
  const skill = (body: string) => `---\nname: ask\ndescription: How to ask\n---\n${body}\n`;
  const { root, client } = await develop({ [path]: skill('One.') });
  let told = 0;
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    told += 1;
  });
  const skills = new SkillsClient(client);
  const read = async () => {
    const [found] = (await skills.list()).skills;
    if (found === undefined) throw new Error('no skill');
    return (await skills.read(found)).body;
  };
  expect(await read()).toBe('One.\n');
  save(join(root, path), skill('Two.'));
  await vi.waitFor(() => expect(told).toBe(1), 30_000);
  expect(await read()).toBe('Two.\n');
});

it('a site file that cannot be read leaves what is served, and a sound one goes on', async () => {
  const { root, server, names } = await develop();
  const site = 'svc: 1\nproject: demo\nprofile: default\n';
  save(join(root, 'svc-site.yml'), 'svc: [broken');
  await server.until(/The endpoints stay as they were/, 'stderr');
  expect(await names()).toEqual(['hello_world']);
  rmSync(join(root, 'svc-site.yml'));
  await server.until(/There is no svc-site\.yml/, 'stderr');
  expect(await names()).toEqual(['hello_world']);
  save(join(root, 'svc-site.yml'), site);
  await server.until(/reloaded: 1 tool\n/, 'stderr');
  save(join(root, 'tools/more.yml'), tool('more', 'SELECT 1 AS x'));
  await server.until(/reloaded: 2 tools\n/, 'stderr');
  expect(await names()).toEqual(['hello_world', 'more']);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});
