import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { isRunning } from '../../is-running.ts';
import { repeat } from '../../repeat.ts';
import { project, Svc } from './svc.ts';

const CRASH = "SELECT reservoir_quantile(3::TINYINT, 'nan'::DOUBLE) FROM range(3)";
const HUNGRY = "SELECT repeat('x', 4000000000)";
const PLANNING = "SELECT levenshtein(repeat('a', 3000000), repeat('b', 3000000))";

const SITE = `svc: 1
project: demo
profile: default
sql_tools: { enabled: true }
profiles:
  default:
    database: { path: data/rows.db, memory_limit: 256MB }
`;
const ADD = `svc: 1
tool:
  name: add
  parameters: [{ name: id, type: integer }]
  source: { code: "INSERT INTO rows VALUES ($id) RETURNING id" }
`;
const COUNT =
  'svc: 1\ntool:\n  name: count\n  return: { type: integer }\n  source: { code: "SELECT count(*) AS n FROM rows" }\n';

async function hostileProject(): Promise<string> {
  const root = await project();
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  writeFileSync(join(root, 'tools/add.yml'), ADD);
  writeFileSync(join(root, 'tools/count.yml'), COUNT);
  mkdirSync(join(root, 'data'), { recursive: true });
  await runScript(join(root, 'data/rows.db'), 'CREATE TABLE rows (id INTEGER PRIMARY KEY)');
  return root;
}

const message = (id: number, name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });

async function serve() {
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: await hostileProject() });
  const { url } = JSON.parse((await server.until(/^\{.*\}$/m))[0]);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const call = async (name: string, args: object = {}) => {
    const response = await fetch(url, { method: 'POST', headers, body: message(1, name, args) });
    return JSON.parse(await response.text()).result;
  };
  return { server, call };
}

/** The processes that a process has started and that run. */
function childrenOf(pid: number | undefined): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

it('hostile callers of the SQL tools end no call of others, reloads included', {
  timeout: 180_000,
}, async () => {
  const { server, call } = await serve();
  const failures: string[] = [];
  let reloads = 0;
  let added = 0;
  const others = [
    repeat(async () => {
      const answer = await call('add', { id: added });
      if (answer.isError) failures.push(answer.content[0].text);
      added += 1;
    }),
    repeat(async () => {
      const answer = await call('count');
      if (answer.isError) failures.push(answer.content[0].text);
    }),
    repeat(async () => {
      const answer = await call('execute_sql_query', { sql: 'SELECT count(*) AS n FROM rows' });
      if (answer.isError) failures.push(answer.content[0].text);
    }),
  ];
  for (const sql of [CRASH, HUNGRY, CRASH, CRASH]) {
    const hostile = Promise.all([1, 2].map(() => call('execute_sql_query', { sql })));
    reloads += 1;
    const reloaded = server.until(new RegExp(`(reloaded[^]*){${reloads}}`), 'stderr');
    server.child.kill('SIGHUP');
    for (const answer of await hostile) expect(answer.isError).toBe(true);
    await reloaded;
  }
  await Promise.all(others.map((other) => other.stop()));
  // Only writes take turns, and only one whose commit had begun may fail.
  expect(
    failures.filter((text) => !/saved the change, so the change may be there or not/.test(text)),
  ).toEqual([]);
  expect(server.stderr).not.toContain('reload failed');
  const { result: rows } = (await call('count')).structuredContent;
  expect(rows).toBeLessThanOrEqual(added);
  expect(rows).toBeGreaterThanOrEqual(added - failures.length);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

it('a server ends although a plan that nothing interrupts runs, and its processes with it', {
  timeout: 60_000,
}, async () => {
  const { server, call } = await serve();
  const planning = call('execute_sql_query', { sql: PLANNING }).catch(() => null);
  // It plans as soon as another call that came later is answered.
  expect((await call('count')).structuredContent).toEqual({ result: 0 });
  const children = childrenOf(server.child.pid);
  expect(children.length).toBeGreaterThan(0);
  server.child.kill('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 0, signal: null });
  await planning;
  await expect.poll(() => children.filter(isRunning), { timeout: 10_000 }).toEqual([]);
});

it('only messages are written to stdout over stdio, whatever the engine does', {
  timeout: 60_000,
}, async () => {
  const server = new Svc(['serve', '--transport', 'stdio'], { cwd: await hostileProject() });
  const send = (text: string) => server.child.stdin?.write(`${text}\n`);
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  await server.until(/"id":0/);
  send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  send(message(1, 'execute_sql_query', { sql: CRASH }));
  await server.until(/"id":1/);
  send(message(2, 'count', {}));
  await server.until(/"id":2/);
  const children = childrenOf(server.child.pid);
  server.child.stdin?.end();
  const { code, stdout } = await server.ended;
  expect(code).toBe(0);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.find(({ id }) => id === 1).result.isError).toBe(true);
  expect(answers.find(({ id }) => id === 2).result.structuredContent).toEqual({ result: 0 });
  await expect.poll(() => children.filter(isRunning), { timeout: 10_000 }).toEqual([]);
});
