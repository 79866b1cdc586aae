import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { createReplayClient } from '../../../adapters/replay/client.ts';
import { buildTarget } from '../../../deploy/build.ts';
import { project, Svc, svc } from './svc.ts';

const SITE = `svc: 1
project: demo
profile: default
profiles:
  default:
    database: { path: data/shop.duckdb }
    audit: { enabled: true, outputs: true }
`;
const FIND = `svc: 1
tool:
  name: find
  parameters: [{ name: least, type: integer, default: 1 }]
  source: { code: "SELECT id, name FROM people WHERE id >= $least ORDER BY id" }
`;
const ADD = `svc: 1
tool:
  name: add
  source: { code: "INSERT INTO people VALUES (9, 'Ida')" }
`;
const LOGIN = `svc: 1
tool:
  name: login
  parameters: [{ name: pin, type: string, sensitive: true }]
  source: { code: "SELECT length($pin) AS size" }
`;
const GUARDED = `svc: 1
tool:
  name: guarded
  source: { code: SELECT 1 AS one }
  policies:
    input: [{ condition: "user == null || user.role != 'boss'", action: deny, reason: Bosses only. }]
`;
const PERSON = `svc: 1
resource:
  uri: people://{id}/card
  parameters: [{ name: id, type: integer }]
  return: { type: object }
  source: { code: "SELECT id, name FROM people WHERE id = $id" }
`;
const PROMPT = `svc: 1
prompt:
  name: greet
  parameters: [{ name: who, type: string }]
  messages: [{ prompt: "Greet {{ who }}." }]
`;
const TIMEOUT_MS = 120_000;

async function people(): Promise<string> {
  const root = await project();
  writeFileSync(join(root, 'svc-site.yml'), SITE);
  const files = { FIND, ADD, LOGIN, GUARDED };
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(root, `tools/${name.toLowerCase()}.yml`), text);
  writeFileSync(join(root, 'resources/person.yml'), PERSON);
  writeFileSync(join(root, 'prompts/greet.yml'), PROMPT);
  await runScript(
    join(root, 'data/shop.duckdb'),
    "CREATE TABLE people AS SELECT * FROM (VALUES (1, 'Ada'), (2, 'Bob')) AS t(id, name)",
  );
  return root;
}

const count = async (root: string) =>
  JSON.parse((await svc(['query', 'SELECT count(*) AS many FROM people', '--json'], root)).stdout);

/** What a morning's callers did, as a server has recorded it. */
async function recorded(root: string, url: string): Promise<string> {
  const ask = createReplayClient(new URL('/mcp', url), null);
  const call = (name: string, args = {}) => ask('tools/call', { name, arguments: args }, name);
  await call('find', { least: 2 });
  await call('find');
  await call('login', { pin: '123456' });
  await call('guarded');
  await call('nothing');
  const uri = 'people://2/card';
  await ask('resources/read', { uri }, uri);
  await ask('prompts/get', { name: 'greet', arguments: { who: 'Ada' } }, 'greet');
  const log = join(root, 'audit/logs-default.jsonl');
  const lines = () => readFileSync(log, 'utf8').trim().split('\n').length;
  await expect.poll(lines, { timeout: 30_000 }).toBe(7);
  const file = join(root, 'morning.jsonl');
  copyFileSync(log, file);
  const add = {
    ...JSON.parse(readFileSync(file, 'utf8').split('\n')[1] ?? ''),
    operation_name: 'add',
    input_data: {},
  };
  appendFileSync(file, `${JSON.stringify(add)}\n{"torn": `);
  return file;
}

it(
  'makes reads again and nothing else, against a server and against an artefact',
  async () => {
    const root = await people();
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root });
    const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
    const file = await recorded(root, url);

    const live = await svc(['replay', file, '--against', url, '--json'], root);
    expect(live.code).toBe(0);
    expect(JSON.parse(live.stdout)).toMatchObject({
      status: 'ok',
      records: 9,
      replayed: 5,
      same: 5,
      different: 0,
      skipped: { redacted: 1, circumstances: 1, writes: 1, foreign: 1 },
      differences: [],
    });
    server.child.kill('SIGTERM');
    await server.ended;
    expect(await count(root)).toMatchObject([{ many: 2 }]);

    const build = () =>
      buildTarget({ root, public: true, target: 'node', incapable: true, inspect: async () => [] });
    await build();
    const same = await svc(['replay', file, '--against', 'build/node'], root);
    expect(same).toMatchObject({ code: 0 });
    expect(same.stdout).toMatch(
      /^5 calls replayed of 9 records: 5 the same\n1 skipped: not a record, or incomplete\n/,
    );
    const wrong = await svc(['replay', 'svc-site.yml', '--against', 'build/node'], root);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('svc-site.yml has no audit records');

    const boss = await svc(
      ['replay', file, '--against', 'build/node', '--user-context', '{"role": "boss"}', '--json'],
      root,
    );
    expect(JSON.parse(boss.stdout).differences).toMatchObject([
      {
        operation_name: 'guarded',
        differences: [{ what: 'decision', old: 'deny', new: 'allow' }, { what: 'status' }],
      },
    ]);

    writeFileSync(join(root, 'tools/find.yml'), FIND.replace('SELECT id,', "SELECT 'n' || id AS id,"));
    writeFileSync(join(root, 'tools/guarded.yml'), GUARDED.replace(/condition: ".*"/, 'condition: "false"'));
    writeFileSync(
      join(root, 'resources/person.yml'),
      PERSON.replace('WHERE id = $id', 'WHERE id = $id + 0 AND id <> 2'),
    );
    writeFileSync(join(root, 'prompts/greet.yml'), PROMPT.replace('name: greet', 'name: hail'));
    await build();
    const other = await svc(['replay', file, '--against', 'build/node', '--json'], root);
    expect(other.code).toBe(1);
    const report = JSON.parse(other.stdout);
    expect(report).toMatchObject({ status: 'different', replayed: 5 });
    const found = report.differences.map(
      (one: { operation_name: string; differences: { what: string }[] }) => [
        one.operation_name,
        ...one.differences.map(({ what }) => what),
      ],
    );
    expect(found).toEqual([
      ['find', 'shape'],
      ['find', 'shape'],
      ['guarded', 'decision', 'status'],
      ['people://{id}/card', 'status'],
      ['greet', 'endpoint'],
    ]);
    expect(report.differences[0].differences).toEqual([
      { what: 'shape', path: '[].id', old: 'number', new: 'string' },
    ]);
    expect(other.stdout).not.toContain('123456');
  },
  TIMEOUT_MS,
);

it(
  'says what it needs, and takes a token from a variable only',
  async () => {
    const root = await people();
    writeFileSync(join(root, 'a.jsonl'), '');
    const refused = async (...args: string[]) => {
      const { code, stderr } = await svc(['replay', ...args], root);
      return `${code} ${stderr}`;
    };
    expect(await refused('a.jsonl')).toMatch(/^2 .*needs --against/);
    expect(await refused('none.jsonl', '--against', 'build/node')).toMatch(/^2 .*no audit file none\.jsonl/);
    expect(await refused('a.jsonl', '--against', 'tools')).toMatch(/^2 [\s\S]*no manifest\.json/);
    expect(await refused('tools', '--against', 'build/node')).toMatch(
      /^2 .*tools is a folder\. Name an audit file/,
    );
    expect(await refused('a.jsonl', '--against', 'http://127.0.0.1:1')).toMatch(
      /^1 .*127\.0\.0\.1:1\/mcp gave no answer/,
    );
    expect(await refused('a.jsonl', '--against', 'http://127.0.0.1:1', '--token-env', 'NO_SUCH')).toMatch(
      /^2 .*NO_SUCH/,
    );
  },
  TIMEOUT_MS,
);

const FORMS = {
  csv: "  format: csv\n  source: { code: 'SELECT id, name FROM people ORDER BY id' }\n",
  markdown: "  format: markdown\n  source: { code: 'SELECT id, name FROM people ORDER BY id' }\n",
  typed: `  format: csv\n  source: { code: "SELECT 'text' AS type, id FROM people" }\n`,
  large: '  large_result: { rows: 10, format: json }\n  source: { code: SELECT range AS n FROM range(20) }\n',
  large_csv:
    '  large_result: { rows: 10, format: csv }\n  source: { code: SELECT range AS n FROM range(20) }\n',
  blocks: `  content: rows\n  source: { code: "SELECT 'text' AS type, name AS text FROM people WHERE id = 1" }\n`,
};
const BYTES = `svc: 1
resource:
  uri: people://bytes
  mime_type: application/octet-stream
  return: { type: string }
  source: { code: "SELECT 'abc'::BLOB AS bytes" }
`;

it(
  'compares answers of every form with a server, and none is no success',
  async () => {
    const root = await people();
    for (const [name, more] of Object.entries(FORMS)) {
      writeFileSync(join(root, `tools/${name}.yml`), `svc: 1\ntool:\n  name: ${name}\n${more}`);
    }
    writeFileSync(join(root, 'resources/bytes.yml'), BYTES);
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root });
    const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
    const ask = createReplayClient(new URL('/mcp', url), null);
    for (const name of Object.keys(FORMS)) await ask('tools/call', { name, arguments: {} }, name);
    await ask('resources/read', { uri: 'people://bytes' }, 'people://bytes');
    const log = join(root, 'audit/logs-default.jsonl');
    const lines = () => readFileSync(log, 'utf8').trim().split('\n');
    await expect.poll(() => lines().length, { timeout: 30_000 }).toBe(7);
    const recorded: { operation_name: string; output_data: unknown }[] = lines().map((line) =>
      JSON.parse(line),
    );
    const replayed = async (file: string, records: readonly object[]) => {
      writeFileSync(join(root, file), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
      const { code, stdout } = await svc(['replay', file, '--against', url, '--json'], root);
      return { code, report: JSON.parse(stdout) };
    };

    expect(await replayed('same.jsonl', recorded)).toMatchObject({
      code: 0,
      report: { same: 7, differences: [] },
    });
    // Each recorded value is changed a little, as if the server answered something else.
    const changed = recorded.map((record) => ({
      ...record,
      output_data: JSON.parse(
        JSON.stringify(record.output_data)
          .replace('Ada', 'Eve')
          .replace('{"n":19}', '{"n":20}')
          .replace('YWJj', 'YWJk'),
      ),
    }));
    const { code, report } = await replayed('changed.jsonl', changed);
    expect(code).toBe(1);
    const found: readonly { operation_name: string; differences: readonly { path: string }[] }[] =
      report.differences;
    expect(found.map(({ operation_name, differences }) => [operation_name, differences[0]?.path])).toEqual([
      ['csv', 'line 2'],
      ['markdown', 'line 3'],
      ['large', '[19].n'],
      ['large_csv', 'line 21'],
      ['blocks', 'line 1'],
      ['people://bytes', ''],
    ]);

    const writes = recorded
      .slice(0, 1)
      .map((record) => ({ ...record, operation_name: 'add', input_data: {} }));
    expect(await replayed('writes.jsonl', writes)).toMatchObject({
      code: 2,
      report: {
        error: {
          message: expect.stringMatching(/None of the 1 record.*can be replayed.*\n1 skipped: may write/),
        },
      },
    });
    writeFileSync(join(root, 'empty.jsonl'), '');
    const empty = await svc(['replay', 'empty.jsonl', '--against', url], root);
    expect(empty).toMatchObject({ code: 2, stdout: '' });
    expect(empty.stderr).toContain('empty.jsonl has no audit records');
    server.child.kill('SIGTERM');
    await server.ended;
  },
  TIMEOUT_MS,
);
