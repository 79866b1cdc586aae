import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, svc } from './svc.ts';

const SALARIES = `svc: 1
tool:
  name: salaries
  scopes: [hr.read]
  parameters: [{ name: team, type: string }]
  return:
    type: array
    items: { type: object, properties: { name: { type: string }, salary: { type: number }, phone: { type: string } } }
  policies:
    input:
      - { condition: user.role == 'anonymous', action: deny, reason: Sign in }
      - { condition: "user.role == 'lead' && team != 'own'", action: deny, reason: Own team only }
    output:
      - { condition: "user.role in ['clerk', 'lead']", action: filter_fields, fields: [salary] }
      - { condition: "user.role == 'clerk'", action: mask_fields, fields: [phone] }
      - { condition: "user.role == 'clerk' && user.role == 'boss'", action: mask_fields, fields: [name] }
  source: { code: "SELECT get_user_email() AS name, 1 AS salary, '2' AS phone WHERE $team <> ''" }
  tests:
    - { name: a, arguments: [{ key: team, value: own }], user_context: { role: boss, user_id: b1 } }
    - { name: b, arguments: [{ key: team, value: own }], user_context: { role: boss, user_id: b2 } }
`;

async function withSalaries(): Promise<string> {
  const root = await project();
  writeFileSync(join(root, 'tools/salaries.yml'), SALARIES);
  return root;
}

// Each starts the program several times, which takes long where many do.
describe('svc policy matrix', { timeout: 90_000 }, () => {
  it('shows who may call what, for the users that the project speaks of', async () => {
    const { code, stdout, stderr } = await svc(['policy', 'matrix'], await withSalaries());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n').map((line) => line.trimEnd());
    expect(lines.slice(0, 3)).toEqual([
      'endpoint          anonymous  boss   lead      clerk',
      'tool/hello_world  allow      allow  allow     allow',
      'tool/salaries     deny       allow  depends*  allow*',
    ]);
    expect(lines).toEqual(
      expect.arrayContaining([
        'tool/salaries  tools/salaries.yml',
        '  user and token must hold: hr.read',
        '  rows depend on the caller: the SQL reads the identity of the caller',
        '  anonymous    denied by input[0]: Sign in',
        '  lead         depends on team, by input[1]: Own team only',
        '  lead, clerk  salary: filtered (output[0])',
        '  clerk        phone: masked (output[1])',
      ]),
    );
    expect(stdout).toMatch(
      /tools\/salaries\.yml:16:\d+ +warning +The condition of output\[2\] is never true\./,
    );
  });

  it('has the SQL tools, if the project offers them', async () => {
    const root = await project();
    const site = join(root, 'svc-site.yml');
    const before = readFileSync(site, 'utf8');
    const more = (tables: string) => `${before}sql_tools:
  enabled: true
  execute_sql_query:
    policies: { input: [{ condition: user.role == 'anonymous', action: deny, reason: Sign in }] }
${tables}`;
    writeFileSync(site, more(''));
    const asked = ['policy', 'matrix', '--role', 'clerk'];
    const lines = (await svc(asked, root)).stdout.split('\n').map((line) => line.trimEnd());
    expect(lines).toEqual(
      expect.arrayContaining([
        'tool/execute_sql_query  deny       allow',
        'tool/list_tables        allow      allow',
        'tool/execute_sql_query  svc-site.yml',
        '  anonymous  denied by input[0]: Sign in',
      ]),
    );
    expect(lines.join()).not.toContain('rows depend');
    writeFileSync(site, more('  tables: [{ name: t, rows: owner == user.email }]\n'));
    const { stdout } = await svc([...asked, '--json'], root);
    const { endpoints } = JSON.parse(stdout);
    expect(endpoints.at(-1)).toMatchObject({ path: 'svc-site.yml', rows_depend_on_caller: true });
    expect((await svc(asked, root)).stdout).toContain('`sql_tools.tables` has rules');
  });

  it('shows who may sign in and who holds which scope, as svc validate does', async () => {
    const root = await withSalaries();
    const env = (more: string) => ({
      SVC_CONFIG_YAML: `svc: 1
projects:
  demo:
    profiles:
      default:
        auth:
          provider: github
          github: { client_id: i, client_secret: s }
${more}`,
    });
    const open = await svc(['policy', 'matrix'], root, env(''));
    expect(open.stdout).toMatch(
      /^may sign in: everybody with a GitHub account\n\nscope +held by +needed by\n/,
    );
    expect(open.stdout).toMatch(/\nhr\.read +nobody +tool\/salaries\n/);
    const warned = 'Nobody holds the scope hr.read, so every call of salaries is denied.';
    expect(open.stdout).toContain(warned);
    const validate = await svc(['validate'], root, env(''));
    expect(validate).toMatchObject({ code: 0, stdout: expect.stringContaining(warned) });
    expect(validate.stdout).toContain('so everybody with a GitHub account may use the server');
    const rules = `          allow: { organizations: [acme] }
          grants: [{ scope: hr.read, to: { groups: [acme/hr] } }]
`;
    const closed = await svc(['policy', 'matrix', '--json'], root, env(rules));
    expect(JSON.parse(closed.stdout).sign_in).toEqual({
      allowed: 'organization acme',
      api_keys: [],
      scopes: [
        { scope: 'svc:access', held_by: ['everybody who may use the server'], needed_by: [] },
        { scope: 'hr.read', held_by: ['group acme/hr'], needed_by: ['tool/salaries'] },
      ],
    });
    const broken = await svc(['policy', 'matrix'], root, env('          allow: {}\n'));
    expect([broken.code, broken.stdout]).toEqual([
      0,
      expect.stringMatching(/^The configuration has errors, so the rules of sign-in are not shown/),
    ]);
  });

  it('has a column for each API key, whose scopes count too', async () => {
    const root = await withSalaries();
    const entry = (name: string, digit: string, more: string) =>
      `{ name: ${name}, hash: "${digit.repeat(64)}", user: { role: lead, email: l@x.org }${more} }`;
    const keys = [
      entry('plain', '1', ''),
      entry('hr', '2', ', scopes: [hr.read]'),
      entry('old', '3', ', expires: 2020-01-01'),
    ];
    const env = {
      SVC_CONFIG_YAML: `svc: 1\nprojects: { demo: { profiles: { default: { auth: { api_keys: [${keys.join(', ')}] } } } } }\n`,
    };
    const { code, stdout } = await svc(['policy', 'matrix', '--json'], root, env);
    expect(code).toBe(0);
    const { users, endpoints, sign_in } = JSON.parse(stdout);
    expect(users).toContainEqual({
      name: 'key hr',
      user_context: { id: 'hr', provider: 'api-key', role: 'lead', email: 'l@x.org' },
    });
    expect(users).not.toContainEqual(expect.objectContaining({ name: 'key old' }));
    expect(endpoints[1].access).toMatchObject({
      'key plain': { call: 'deny', rules: ['scopes'], reason: 'the key does not hold hr.read' },
      'key hr': { call: expect.stringMatching(/allow|depends/) },
    });
    expect(sign_in.scopes).toContainEqual({
      scope: 'hr.read',
      held_by: ['API key hr'],
      needed_by: ['tool/salaries'],
    });
    expect(sign_in.api_keys).toContainEqual(expect.objectContaining({ name: 'old', expired: true }));
  });

  it('is one document of JSON, for whom one asks', async () => {
    const root = await withSalaries();
    writeFileSync(
      join(root, 'users.json'),
      '[{ "role": "lead", "email": "l@x.org" }, { "email": "x@x.org" }]',
    );
    const asked = ['--role', 'clerk', '--user-context', '@users.json', '--json'];
    const { code, stdout } = await svc(['policy', 'matrix', ...asked], root);
    expect(code).toBe(0);
    const { status, users, endpoints, findings } = JSON.parse(stdout);
    expect(status).toBe('ok');
    expect(users.map(({ name }: { name: string }) => name)).toEqual([
      'anonymous',
      'clerk',
      'lead',
      'x@x.org',
    ]);
    expect(endpoints[1]).toMatchObject({
      endpoint: 'tool/salaries',
      scopes: ['hr.read'],
      has_policies: true,
      rows_depend_on_caller: true,
      access: {
        anonymous: { call: 'deny', rules: ['input[0]'], reason: 'Sign in', fields: [] },
        clerk: {
          call: 'allow',
          fields: [
            { field: 'name', access: 'shown', rules: [], depends_on: [] },
            { field: 'salary', access: 'filtered', rules: ['output[0]'], depends_on: [] },
            { field: 'phone', access: 'masked', rules: ['output[1]'], depends_on: [] },
          ],
        },
        lead: { call: 'depends', depends_on: ['team'] },
        'x@x.org': { call: 'allow' },
      },
    });
    expect(findings).toMatchObject([{ severity: 'warning', code: 'policy-unreachable', line: 16 }]);
  });

  it('leaves out what cannot be read, and says 2 to what was not understood', async () => {
    const root = await withSalaries();
    const validate = await svc(['validate'], root);
    expect(validate).toMatchObject({ code: 0, stdout: expect.stringContaining('output[2] is never true') });
    writeFileSync(join(root, 'tools/broken.yml'), 'svc: 1\ntool: { name: x }\n');
    const broken = await svc(['policy', 'matrix', '--json'], root);
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.stdout)).toMatchObject({ status: 'error', not_checked: ['tools/broken.yml'] });
    const [action, user] = [
      await svc(['policy', 'matrx'], root),
      await svc(['policy', 'matrix', '--user-context', '{'], root),
    ];
    expect([action.code, user.code]).toEqual([2, 2]);
  });
});
