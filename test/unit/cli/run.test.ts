import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, svc } from './svc.ts';

const TOOLS = {
  rows: `svc: 1
tool:
  name: rows
  parameters: [{ name: many, type: integer, default: 3, maximum: 20000 }]
  return: { type: array, items: { type: object } }
  source: { code: "SELECT range AS n, 'row ' || range AS label FROM range($many)" }
`,
  total: `svc: 1
tool:
  name: total
  parameters:
    - { name: numbers, type: array, items: { type: integer } }
    - { name: least, type: integer, minimum: 10 }
  return: { type: integer }
  source: { code: "SELECT CAST(list_sum($numbers) + $least AS INTEGER) AS total" }
`,
  broken: `svc: 1
tool:
  name: broken
  return: { type: object }
  source: { code: "SELECT 1 / 0 AS x, CAST('abc' AS INTEGER) AS y" }
`,
  whoami: `svc: 1
tool:
  name: whoami
  return: { type: object }
  source: { code: "SELECT get_user_email() AS email" }
`,
  facts: `svc: 1
tool:
  name: facts
  return: { type: object }
  source:
    code: >
      SELECT get_user_external_token() AS token, get_username() AS username, get_user_provider() AS provider,
      get_user_email() AS email, get_request_header('host') AS host, get_request_headers_json() AS headers
`,
  team: `svc: 1
tool:
  name: team
  return: { type: object }
  policies:
    input:
      - { condition: "user.id != 'u7' || user.name != 'Ada' || !('staff' in user.groups)", action: deny, reason: Not Ada. }
      - { condition: "user.claims.team != 7", action: deny, reason: Other team. }
  source:
    code: >
      SELECT get_user_external_token() AS token, get_username() AS username, get_user_provider() AS provider
`,
  ruled: `svc: 1
tool:
  name: ruled
  return: { type: object }
  policies:
    input:
      - { condition: "user.role != 'admin' || !('sales' in user.permissions)", action: deny, reason: For admins. }
  source: { code: SELECT 1 AS n }
`,
};

async function withTools(): Promise<string> {
  const root = await project();
  for (const [name, text] of Object.entries(TOOLS)) writeFileSync(join(root, `tools/${name}.yml`), text);
  return root;
}

describe('svc run tool', () => {
  it('prints rows as a table for people and as one document with --json', async () => {
    const root = await withTools();
    const [table, json] = [
      await svc(['run', 'tool', 'rows'], root),
      await svc(['run', 'tool', 'rows', '--param', 'many=2', '--json'], root),
    ];
    expect(table).toMatchObject({
      code: 0,
      stdout: 'n  label\n0  row 0\n1  row 1\n2  row 2\n(3 rows)\n',
      stderr: '',
    });
    expect(json).toMatchObject({ code: 0, stdout: '[{"n":0,"label":"row 0"},{"n":1,"label":"row 1"}]\n' });
  });

  // Requirements: command.run
  it('takes every value by its type, also from a file', async () => {
    const root = await withTools();
    writeFileSync(join(root, 'numbers.json'), '[1, 2, 3]');
    const ran = await svc(
      ['run', 'tool', 'total', '--param', 'numbers=@numbers.json', '--param', 'least=10', '--json'],
      root,
    );
    expect(ran).toMatchObject({ code: 0, stdout: '16\n' });
    const inline = await svc(['run', 'tool', 'total', '--param', 'numbers=[4]', '--param', 'least=10'], root);
    expect(inline).toMatchObject({ code: 0, stdout: '14\n' });
    const at = await svc(['run', 'tool', 'hello_world', '--param', 'name=@@ada=1', '--json'], root);
    expect(at.stdout).toBe('{"greeting":"Hello, @ada=1!"}\n');
  });

  it('lists each problem of the arguments, with 2, before any database is opened', async () => {
    const root = await withTools();
    const env = { SVC_DATABASE_PATH: '/nowhere/at/all.db', SVC_READONLY: 'true' };
    const args = ['run', 'tool', 'total', '--param', 'least=3', '--param', 'more=1'];
    const [text, json] = [await svc(args, root, env), await svc([...args, '--json'], root, env)];
    expect({ code: text.code, stdout: text.stdout }).toEqual({ code: 2, stdout: '' });
    for (const name of ['numbers', 'least', 'more']) {
      expect(text.stderr).toMatch(new RegExp(`^ {2}- .*\\b${name}\\b`, 'm'));
    }
    expect(text.stderr).toMatch(/^ {2}Give each as --param name=value\.$/m);
    expect(json.code).toBe(2);
    const { error } = JSON.parse(json.stdout);
    expect(error.code).toBe('arguments_invalid');
    expect(error.detail.issues).toHaveLength(3);
  });

  it('names the nearest tool when there is none of that name, with 2', async () => {
    const root = await withTools();
    const { code, stdout } = await svc(['run', 'tool', 'hello_wrld', '--json'], root);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'error',
      error: { code: 'endpoint_unknown', detail: { name: 'hello_wrld', did_you_mean: 'hello_world' } },
    });
    const inherited = await svc(['run', 'tool', 'constructor'], root);
    expect(inherited.code).toBe(2);
  });

  // Requirements: command.run
  it('fails with 1 and the reason when the query fails', async () => {
    const root = await withTools();
    const { code, stdout, stderr } = await svc(['run', 'tool', 'broken'], root);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: .*abc/s);
    expect(stderr).not.toContain('SvcError');
    expect((await svc(['run', 'tool', 'broken', '--debug'], root)).stderr).toMatch(
      /code: sql_failed\n.*SvcError/,
    );
  });

  it.each([
    ['no equals sign', ['--param', 'name'], /--param name is not key=value/],
    ['a file that is not there', ['--param', 'name=@nope.json'], /cannot be read/],
    ['a parameter twice', ['--param', 'name=a', '--param', 'name=b'], /--param name is given twice/],
    ['a user that is not JSON', ['--user-context', '{role: x}'], /--user-context is not JSON/],
    ['a user that is a list', ['--user-context', '[]'], /must be a JSON object/],
    ['a user of wrong types', ['--user-context', '{"groups":"all"}'], /groups must be a list of texts/],
  ])('refuses %s with 2', async (_what, args, text) => {
    const { code, stderr } = await svc(['run', 'tool', 'hello_world', ...args], await project());
    expect(code).toBe(2);
    expect(stderr).toMatch(text);
  });

  // Requirements: command.run, sql.served, sql.user-context
  it('runs as the simulated user', async () => {
    const root = await withTools();
    writeFileSync(join(root, 'user.json'), '{"email":"ada@example.com","role":"admin","team":7}');
    const { code, stdout } = await svc(
      ['run', 'tool', 'whoami', '--user-context', '@user.json', '--json'],
      root,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"email":"ada@example.com"}\n' });
    const inline = ['--user-context', '{"email":"bob@example.com"}', '--json'];
    expect(await svc(['run', 'tool', 'whoami', ...inline], root)).toMatchObject({
      code: 0,
      stdout: '{"email":"bob@example.com"}\n',
    });
    const nobody = await svc(['run', 'tool', 'whoami', '--json'], root);
    expect(nobody.stdout).toBe('{"email":null}\n');
  });

  // Requirements: sql.served, sql.null
  it('knows no user and no request in SQL without --user-context', async () => {
    const { code, stdout } = await svc(['run', 'tool', 'facts', '--json'], await withTools());
    const none = { token: null, username: null, provider: null, email: null, host: null, headers: null };
    expect({ code, row: JSON.parse(stdout) }).toEqual({ code: 0, row: none });
  });

  // Requirements: sql.user-context, user.role, user.permissions
  it('holds the simulated user to the policies', async () => {
    const root = await withTools();
    const as = (user: object) =>
      svc(['run', 'tool', 'ruled', '--user-context', JSON.stringify(user), '--json'], root);
    expect(await as({ role: 'admin', permissions: ['sales'] })).toMatchObject({
      code: 0,
      stdout: '{"n":1}\n',
    });
    for (const user of [{ role: 'admin' }, { permissions: ['sales'] }]) {
      const { code, stdout } = await as(user);
      expect({ code, said: stdout.includes('For admins.') }).toEqual({ code: 1, said: true });
    }
  });

  // Requirements: sql.user-context
  it('takes every field of the simulated user, also one of the project’s own', async () => {
    const root = await withTools();
    const ada = { id: 'u7', name: 'Ada', groups: ['staff'], team: 7 };
    const sql = { username: 'ada', provider: 'acme', external_token: 'given' };
    const as = (user: object) =>
      svc(['run', 'tool', 'team', '--user-context', JSON.stringify(user), '--json'], root);
    const { code, stdout } = await as({ ...ada, ...sql });
    expect([code, JSON.parse(stdout)]).toEqual([0, { token: 'given', username: 'ada', provider: 'acme' }]);
    for (const [other, reason] of [
      [{ id: 'u8' }, 'Not Ada.'],
      [{ name: 'Bob' }, 'Not Ada.'],
      [{ groups: [] }, 'Not Ada.'],
      [{ team: 8 }, 'Other team.'],
    ] as const) {
      expect((await as({ ...ada, ...other })).stdout).toContain(reason);
    }
  });

  it('runs a sound tool beside a broken one, and shows why the broken one cannot run', async () => {
    const root = await withTools();
    writeFileSync(join(root, 'tools/whoami.yml'), TOOLS.whoami.replace('code:', 'cod:'));
    expect((await svc(['run', 'tool', 'rows', '--json'], root)).code).toBe(0);
    const { code, stderr } = await svc(['run', 'tool', 'whoami'], root);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/errors|whoami\.yml:5:/);
  });

  it('creates the database from seed.sql when there is none, and says so', async () => {
    const root = await project();
    rmSync(join(root, 'data'), { recursive: true });
    writeFileSync(join(root, 'numbers.csv'), 'n\n1\n41\n');
    writeFileSync(
      join(root, 'seed.sql'),
      "CREATE TABLE t (n INTEGER); INSERT INTO t SELECT n FROM read_csv('numbers.csv');",
    );
    writeFileSync(
      join(root, 'tools/sum.yml'),
      'svc: 1\ntool:\n  name: sum\n  return: { type: integer }\n  source: { code: SELECT CAST(sum(n) AS INTEGER) AS s FROM t }\n',
    );
    const first = await svc(['run', 'tool', 'sum', '--json'], join(root, 'sql'));
    expect(first).toMatchObject({ code: 0, stdout: '42\n' });
    expect(first.stderr).toMatch(/created .*db-default\.db from seed\.sql/);
    expect((await svc(['run', 'tool', 'sum', '--json'], root)).stderr).toBe('');
  });

  it('leaves no database behind when seed.sql fails', async () => {
    const root = await project();
    rmSync(join(root, 'data'), { recursive: true });
    writeFileSync(join(root, 'seed.sql'), 'CREATE TABLE t (n INTEGER);\nINSERT INTO missing VALUES (1);');
    const { code, stderr } = await svc(['run', 'tool', 'hello_world', '--param', 'name=a'], root);
    expect(code).toBe(1);
    expect(stderr).toMatch(/could not be created from seed\.sql: .*missing[\s\S]*LINE 2:/);
    const again = await svc(['run', 'tool', 'hello_world', '--param', 'name=a'], root);
    expect(again.code).toBe(1);
  });
});
