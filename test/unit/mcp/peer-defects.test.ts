import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseDatabase } from '../../../adapters/node/database/database-choice.ts';
import { openNodeDatabase } from '../../../adapters/node/database/open-database.ts';
import { createApp } from '../../../src/app.ts';
import { checkCatalog } from '../../../src/catalog/checks/check.ts';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import type { User } from '../../../src/context.ts';
import { LOCAL_ACCESS } from '../../../src/http/access.ts';
import { ALICE, type EngineName, errorOf, loadTree, type Served, SITE, serveTree } from '../call/project.ts';
import { modern, post } from './fixture.ts';

/* What breaks in the closest relative of this project, by the numbers of the list we hold ourselves against. */

const PROJECT = {
  'prompts/hello.yml': `prompt:
  name: hello
  description: Greets.
  parameters: [{ name: name, type: string }]
  messages: [{ role: user, type: text, prompt: "Hello {{ name }}." }]
`,
  'resources/terms.yml': `resource:
  uri: demo://terms
  description: Terms.
  mime_type: text/plain
  source: { code: SELECT 'Be kind.' AS text }
`,
  'tools/person.yml': `tool:
  name: person
  return:
    type: object
    properties:
      name: { type: string }
      home: { type: object, properties: { city: { type: string }, street: { type: string, sensitive: true } } }
      salary: { type: number, sensitive: true }
  policies:
    output: [{ condition: "user.role != 'hr'", action: filter_sensitive_fields }]
  source:
    code: "SELECT 'Ada' AS name, {'city': 'Ulm', 'street': 'Way 1'} AS home, 5.0::DOUBLE AS salary"
`,
  'tools/staff.yml': `tool:
  name: staff
  policies:
    input: [{ condition: "!user.email.endsWith('@acme.com')", action: deny, reason: Staff only. }]
  source: { code: SELECT 1 AS n }
`,
  'tools/types.yml': `tool:
  name: types
  source:
    code: >
      SELECT DATE '2024-05-06' AS day, 12345678901234567890123456.789::DECIMAL(38,3) AS money,
      170141183460469231731687303715884105727::HUGEINT AS huge, [1, 2, NULL] AS list, 'ab'::BLOB AS bytes,
      'NaN'::DOUBLE AS nothing, INTERVAL '1 month 2 days' AS span, TIMESTAMP '2024-05-06 07:08:09' AS moment
`,
  'tools/header.yml': `tool:
  name: header
  source: { code: "SELECT get_request_header('X-Tenant') AS a, get_request_header('x-tenant') AS b" }
`,
  'tools/typed.yml': `tool:
  name: typed
  parameters:
    - { name: id, type: integer, description: The id. }
    - { name: kind, type: string, enum: [a, b], default: a, description: A or b. }
    - { name: day, type: string, format: date, default: '2024-01-31' }
  return:
    type: object
    properties: { kind: { type: string, enum: [a, b] }, day: { type: string, format: date } }
    required: [kind, day]
  source: { code: "SELECT $kind AS kind, $day AS day WHERE $id > 0" }
`,
};

describe.each<EngineName>(['wasm', 'native'])('on %s', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveTree(PROJECT, 'SELECT 1', engine);
  });
  afterAll(() => served.close());

  async function ask(method: string, params: { [key: string]: unknown }, user: User | null = null) {
    const app = createApp({
      runtime: () => served.runtime,
      version: '1.2.3',
      stateless: true,
      log: served.runtime.log,
      access: LOCAL_ACCESS,
      authenticate: async () => ({ user }),
    });
    const { body, headers } = modern(method, params);
    if (typeof params.uri === 'string') headers['mcp-name'] = params.uri;
    const response = await app.fetch(post(body, { ...headers, 'X-TENANT': 'north' }));
    const text = await response.text();
    const { result, error } = JSON.parse(text) as { result?: Answer; error?: Answer };
    return result ?? error ?? {};
  }
  type Answer = { [key: string]: unknown };
  const call = (name: string, args: object = {}, user: User | null = null) =>
    ask('tools/call', { name, arguments: args }, user);

  it('D1: a prompt can be got', async () => {
    const { messages } = await ask('prompts/get', { name: 'hello', arguments: { name: 'Ada' } });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello Ada.' } }]);
  });

  it('D2: a resource without placeholders is listed and can be read', async () => {
    expect((await ask('resources/list', {})).resources).toMatchObject([{ uri: 'demo://terms' }]);
    expect((await ask('resources/templates/list', {})).resourceTemplates).toEqual([]);
    expect((await ask('resources/read', { uri: 'demo://terms' })).contents).toMatchObject([
      { text: 'Be kind.' },
    ]);
  });

  // Requirements: endpoint.return.sensitive
  it('D3: sensitive fields are dropped, nested ones too', async () => {
    const { structuredContent, content } = await call('person');
    expect(structuredContent).toEqual({ name: 'Ada', home: { city: 'Ulm' } });
    expect(JSON.stringify(content)).not.toMatch(/Way 1|salary/);
    const full = await call('person', {}, { ...ALICE, role: 'hr' });
    expect(full.structuredContent).toMatchObject({ salary: 5, home: { street: 'Way 1' } });
  });

  it('D4: a rule that cannot be evaluated denies', async () => {
    expect(await call('staff')).toMatchObject({ isError: true });
    expect(await call('staff', {}, { ...ALICE, email: null })).toMatchObject({ isError: true });
    const stranger = await call('staff', {}, { ...ALICE, email: 'x@other.org' });
    expect(stranger).toMatchObject({ isError: true, content: [{ text: 'Staff only.' }] });
    expect((await call('staff', {}, ALICE)).structuredContent).toEqual([{ n: 1 }]);
    expect(served.records.at(-1)?.decision.outcome).toBe('allow');
  });

  // Requirements: condition.policy
  it('D5: the record of a denied call has the decision and its reason', async () => {
    await call('staff', {}, { ...ALICE, email: 'x@other.org' });
    expect(served.records.at(-1)?.decision).toMatchObject({
      outcome: 'deny',
      reason: 'Staff only.',
      rules: ['input[0]'],
    });
  });

  it('D29: values keep their digits and their form', async () => {
    expect((await call('types')).structuredContent).toEqual([
      {
        day: '2024-05-06',
        money: '12345678901234567890123456.789',
        huge: '170141183460469231731687303715884105727',
        list: [1, 2, null],
        bytes: 'YWI=',
        nothing: null,
        span: 'P1M2D',
        moment: '2024-05-06T07:08:09',
      },
    ]);
  });

  // Requirements: sql.get_request_header
  it('D30: header names have no case', async () => {
    expect((await call('header', {}, ALICE)).structuredContent).toEqual([{ a: 'north', b: 'north' }]);
  });

  it('D33: null is no value for a required parameter, and no argument is dropped in silence', async () => {
    for (const [args, path] of [
      [{ id: null }, 'id'],
      [{}, 'id'],
      [{ id: 1, knd: 'a' }, 'knd'],
    ] as const) {
      const { isError, content } = await call('typed', args);
      expect(isError).toBe(true);
      expect(JSON.stringify(content)).toContain(`- ${path}: `);
    }
    expect((await call('typed', { id: '5' })).structuredContent).toEqual({ kind: 'a', day: '2024-01-31' });
  });

  it('D35: clients see enum, format, default and description, and nothing nullable that is not', async () => {
    const { tools } = (await ask('tools/list', {})) as { tools: Answer[] };
    expect(tools.find(({ name }) => name === 'typed')).toMatchObject({
      inputSchema: {
        properties: {
          id: { type: 'integer', description: 'The id.' },
          kind: { type: 'string', enum: ['a', 'b'], default: 'a', description: 'A or b.' },
          day: { type: 'string', format: 'date', default: '2024-01-31' },
        },
        required: ['id'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { kind: { type: 'string', enum: ['a', 'b'] }, day: { type: 'string', format: 'date' } },
        required: ['kind', 'day'],
      },
    });
  });
});

describe('before anything is served', () => {
  it('D4: a condition that does not compile is a finding with its place', async () => {
    const project = await loadTree({
      'tools/a.yml': PROJECT['tools/staff.yml'].replace('user.email', 'user.mail'),
      'tools/b.yml': PROJECT['tools/staff.yml'].replace('name: staff', 'name: b').replace('!user', '!!(user'),
    });
    expect(await checkCatalog(project)).toEqual([
      expect.objectContaining({ severity: 'error', code: 'policy', file: 'tools/a.yml', line: 4 }),
      expect.objectContaining({ severity: 'error', code: 'policy', file: 'tools/b.yml', line: 4 }),
    ]);
  });

  it('D1: a prompt with an undeclared variable is a finding with its place', async () => {
    const text = PROJECT['prompts/hello.yml'].replace('{{ name }}', '{{ nmae }}');
    const [finding, more] = await checkCatalog(await loadTree({ 'prompts/hello.yml': text }));
    expect(finding).toMatchObject({ code: 'template', line: 5, fix: 'Did you mean "name"?' });
    expect(more).toBeUndefined();
  });

  it('D31: an unknown profile opens nothing, and the environment reaches the profile that is selected', async () => {
    const site = `${SITE}profiles: { default: {}, large: { database: { path: large.db } } }\n`;
    const project = await loadTree({ 'svc-site.yml': site }, 'lagre');
    expect(project.site).toBeNull();
    expect(project.findings).toMatchObject([{ code: 'profile-unknown', fix: 'Did you mean large?' }]);
    expect((await errorOf(compileCatalog(project))).code).toBe('project_invalid');
    const large = (await loadTree({ 'svc-site.yml': site }, 'large')).site;
    if (large === null) throw new Error('the profile is known');
    expect(chooseDatabase('/p', large, {}).path).toBe('/p/large.db');
    expect(chooseDatabase('/p', large, { SVC_DATABASE_PATH: 'other.db' }).path).toBe('/p/other.db');
    const folder = await mkdtemp(join(tmpdir(), 'svc-d31-'));
    const choice = { path: join(folder, 'none.db'), readonly: true, engine: 'native' } as const;
    expect((await errorOf(openNodeDatabase(choice))).code).toBe('database_unavailable');
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('D34: a broken endpoint stops the start and says where it is', async () => {
    const tool = 'tool:\n  name: broken\n  source: { code: SELECT $x }\n';
    const error = await errorOf(compileCatalog(await loadTree({ 'tools/broken.yml': tool })));
    expect(error.code).toBe('project_invalid');
    expect(error.message).toMatch(/tools\/broken\.yml:3:\d+: .*\$x/);
  });
});
