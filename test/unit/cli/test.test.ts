import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, svc } from './svc.ts';

const CALC = `svc: 1
tool:
  name: calc
  parameters: [{ name: n, type: integer, minimum: 1 }]
  return: { type: object, properties: { n: { type: integer }, half: { type: number } } }
  source: { code: "SELECT $n AS n, $n / 2 AS half, 1 / ($n - 13) AS x" }
  tests:
    - { name: right, description: by hand, arguments: [{ key: n, value: 3 }], result_contains: { n: 3, half: 1.5 } }
    - { name: wrong, arguments: [{ key: n, value: 3 }], result_contains: { half: 2 } }
    - { name: refused, arguments: [{ key: n, value: 0 }], error_contains: at least 1 }
    - { name: refused otherwise, arguments: [{ key: n, value: 0 }], error_contains: at most }
    - { name: returns, arguments: [{ key: n, value: 1 }], error_contains: anything }
    - { name: not denied, arguments: [{ key: n, value: 1 }], denied: true }
    - { name: only succeeds, arguments: [{ key: n, value: 1 }] }
`;

const WHO = `svc: 1
tool:
  name: who
  return: { type: string }
  source: { code: "SELECT coalesce(get_user_email(), 'nobody')" }
  tests:
    - { name: anonymous, arguments: [], result: nobody }
    - { name: known, arguments: [], user_context: { email: ada@example.com }, result: ada@example.com }
`;

const FAILS = `svc: 1
tool:
  name: fails
  source: { code: "SELECT CAST('abc' AS INTEGER) AS n" }
  tests: [{ name: breaks, arguments: [] }, { name: as expected, error_contains: Could not convert }]
`;

const TERMS = `svc: 1
resource:
  uri: demo://terms/{id}
  parameters: [{ name: id, type: integer }]
  return: { type: object, properties: { id: { type: integer }, by: { type: string } } }
  source: { code: "SELECT $id AS id, coalesce(get_user_email(), 'nobody') AS by" }
  tests:
    - name: right
      arguments: [{ key: id, value: 7 }]
      user_context: { email: ada@example.com }
      result_contains: { id: 7, by: ada@example.com }
    - { name: wrong, arguments: [{ key: id, value: 7 }], result_contains: { id: 8 } }
`;

const GREET = `svc: 1
prompt:
  name: greet
  parameters: [{ name: who, type: string }]
  messages: [{ prompt: "Greet {{ who }}." }]
  tests:
    - { name: right, arguments: [{ key: who, value: Ada }], result_contains: { prompt: Greet Ada. } }
    - { name: wrong, arguments: [{ key: who, value: Ada }], result_contains: { prompt: Greet Bob. } }
`;

async function withTools(tools: Readonly<Record<string, string>>): Promise<string> {
  const root = await project();
  for (const [name, text] of Object.entries(tools)) writeFileSync(join(root, `tools/${name}.yml`), text);
  return root;
}

describe('svc test', () => {
  // Requirements: command.test, endpoint.tests
  it('runs every test; 0 when all pass', async () => {
    const root = await withTools({ who: WHO });
    const [text, json] = [await svc(['test'], root), await svc(['test', '--json'], root)];
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toMatch(/^tool\/hello_world {2}tools\/hello_world\.yml\n {2}✓ .+ {2}[\d.]+ ms$/m);
    expect(text.stdout).toMatch(/^3 passed \(3 tests, [\d.]+ s\)$/m);
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toEqual({
      status: 'ok',
      tests_run: 3,
      endpoints: [
        {
          endpoint: 'tool/hello_world',
          path: 'tools/hello_world.yml',
          tests: [{ name: expect.any(String), status: 'passed', time_ms: expect.any(Number) }],
        },
        {
          endpoint: 'tool/who',
          path: 'tools/who.yml',
          tests: [
            { name: 'anonymous', status: 'passed', time_ms: expect.any(Number) },
            { name: 'known', status: 'passed', time_ms: expect.any(Number) },
          ],
        },
      ],
    });
  });

  // Requirements: command.test, endpoint.prompt, endpoint.tests
  it('runs the tests of resources and prompts', async () => {
    const root = await project();
    for (const folder of ['resources', 'prompts']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'resources/terms.yml'), TERMS);
    writeFileSync(join(root, 'prompts/greet.yml'), GREET);
    const { code, stdout } = await svc(['test', '--json'], root);
    const { endpoints } = JSON.parse(stdout);
    expect(code).toBe(1);
    const shown = endpoints.flatMap(({ path, tests }: (typeof endpoints)[number]) =>
      tests.map(({ name, status }: { name: string; status: string }) => `${path} ${name} ${status}`),
    );
    expect(shown).toEqual(
      expect.arrayContaining([
        'prompts/greet.yml right passed',
        'prompts/greet.yml wrong failed',
        'resources/terms.yml right passed',
        'resources/terms.yml wrong failed',
      ]),
    );
  });

  // Requirements: command.test
  it('tells a failure with its difference, and exits with 1', async () => {
    const root = await withTools({ calc: CALC });
    const [text, json] = [
      await svc(['test', 'tool', 'calc'], root),
      await svc(['test', 'tool', 'calc', '--json'], root),
    ];
    expect([text.code, json.code]).toEqual([1, 1]);
    expect(text.stdout).toMatch(
      /✗ wrong .*\n {6}result_contains: does not hold\n {6}- half: 2\n {6}\+ half: 1.5\n/,
    );
    expect(text.stdout).toMatch(/^3 passed, 4 failed \(7 tests/m);
    const { status, tests_run, endpoints } = JSON.parse(json.stdout);
    expect({ status, tests_run }).toEqual({ status: 'failed', tests_run: 7 });
    const tests: { name: string; status: string; error?: string; description?: string }[] =
      endpoints[0].tests;
    expect(tests.map(({ name, status }) => [name, status])).toEqual([
      ['right', 'passed'],
      ['wrong', 'failed'],
      ['refused', 'passed'],
      ['refused otherwise', 'failed'],
      ['returns', 'failed'],
      ['not denied', 'failed'],
      ['only succeeds', 'passed'],
    ]);
    expect(tests[0]?.description).toBe('by hand');
    expect(tests[3]?.error).toMatch(
      /^error_contains: does not hold\n- "at most"\n\+ arguments_invalid: .*at least 1/s,
    );
    expect(tests[4]?.error).toMatch(/should fail, but it returned\n\+ \{"n":1/);
    expect(tests[5]?.error).toMatch(/should be denied, but it returned/);
  });

  it('keeps a call that fails apart from a failed test', async () => {
    const root = await withTools({ fails: FAILS });
    const { code, stdout } = await svc(['test', 'tool', 'fails', '--json'], root);
    const { status, endpoints } = JSON.parse(stdout);
    expect({ code, status }).toEqual({ code: 1, status: 'error' });
    expect(endpoints[0].tests).toEqual([
      {
        name: 'breaks',
        status: 'error',
        error: expect.stringMatching(/^sql_failed: .*Could not convert/),
        time_ms: expect.any(Number),
      },
      { name: 'as expected', status: 'passed', time_ms: expect.any(Number) },
    ]);
  });

  it('lets the user of the command line replace every test user', async () => {
    const root = await withTools({ who: WHO });
    const user = '{"email":"bob@example.com"}';
    const { code, stdout } = await svc(['test', 'tool', 'who', '--json', '--user-context', user], root);
    const { endpoints } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(endpoints[0].tests.map(({ status }: { status: string }) => status)).toEqual(['failed', 'failed']);
    expect(endpoints[0].tests[1].error).toContain('+ "bob@example.com"');
  });

  it('does not call a project ok whose endpoint is broken', async () => {
    const root = await withTools({ lost: 'svc: 1\ntool:\n  name: lost\n  sorce: { code: SELECT 1 }\n' });
    const { code, stdout } = await svc(['test', '--json'], root);
    const report = JSON.parse(stdout);
    expect({ code, status: report.status, tests: report.tests_run }).toEqual({
      code: 1,
      status: 'error',
      tests: 1,
    });
    expect(report.endpoints[1]).toMatchObject({
      path: 'tools/lost.yml',
      error: expect.stringMatching(/^tools\/lost\.yml:\d+:\d+: /),
      tests: [],
    });
  });

  it('runs on the engine that will serve', async () => {
    const root = await withTools({ who: WHO });
    const { code, stdout } = await svc(['test', '--target', 'aws-lambda', '--json'], root);
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 0, status: 'ok' });
  });

  it('refuses what it does not know, with 2', async () => {
    const root = await project();
    for (const [args, message] of [
      [['tools'], /not a kind of endpoint/],
      [['tool', 'hello_word'], /Did you mean hello_world\?/],
      [['--target', 'moon'], /--target moon is not known/],
      [['--user-context', '[]'], /must be a JSON object/],
    ] as const) {
      const { code, stderr } = await svc(['test', ...args], root);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toMatch(message);
    }
  });
});

it('says that the tests of a disabled endpoint do not run', { timeout: 60_000 }, async () => {
  const root = await project();
  writeFileSync(
    join(root, 'tools/calc.yml'),
    CALC.replace('  name: calc\n', '  name: calc\n  enabled: false\n'),
  );
  const { code, stderr } = await svc(['test', 'tool', 'calc'], root);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'tool calc is disabled (`enabled: false`), so its tests do not run.\n',
  });
  expect((await svc(['test'], root)).stderr).not.toContain('disabled');
});
