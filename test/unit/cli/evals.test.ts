import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import type { EvalsReport } from '../../../src/quality/evals/report.ts';
import { claudeMessage, openAiCall, openAiCompletion, startDouble } from '../adapters/models/double.ts';
import { folder, svc } from './svc.ts';

const KEY = 'planted-key-0123456789';

/** The shop, and a user file whose models are doubles. */
function shop(claude: string, openai: string) {
  const root = join(folder(), 'shop');
  cpSync('examples/shop', root, {
    recursive: true,
    filter: (path) => !/[\\/](data|transcripts)$/.test(path),
  });
  const config = join(root, 'user.yml');
  writeFileSync(
    config,
    `svc: 1
models:
  default: claude-4-sonnet
  claude-4-sonnet: { type: claude, api_key: "\${MODEL_KEY}", base_url: "${claude}", prices: { input: 3, output: 15 } }
  models:
    gpt-4.1: { type: openai, api_key: "\${MODEL_KEY}", base_url: "${openai}", max_retries: 0, timeout: 20 }
`,
  );
  const env = { SVC_CONFIG: config, MODEL_KEY: KEY };
  const run = (...args: readonly string[]) => svc(['evals', ...args], root, env);
  return { root, env, run };
}

/** A model that uses the shop well: it answers by the question and by what it was handed. */
function goodClaude({ messages }: JsonObject) {
  const turns = Array.isArray(messages) ? messages : [];
  const asked = JSON.stringify(turns[0]);
  const use = (...calls: readonly (readonly [string, JsonObject])[]) => ({
    body: claudeMessage(calls.map(([name, input], n) => ({ type: 'tool_use', id: `t${n}`, name, input }))),
  });
  const say = (text: string) => ({ body: claudeMessage([{ type: 'text', text }]) });
  const last = JSON.stringify(turns.at(-1));
  if (asked.includes('office')) {
    return turns.length === 1
      ? use(['search_products', { category: 'office', max_price: 100 }])
      : say(last.includes('Desk lamp') ? 'The Desk lamp, for 64 euros.' : 'Nothing.');
  }
  if (asked.includes('e-mail')) {
    return turns.length === 1 ? use(['get_customer', { id: 1 }]) : say(`I may not: ${last}`);
  }
  return turns.length === 1
    ? use(['best_customer', {}], ['get_customer', { id: 2 }])
    : say(/Grace Hopper/.test(last) && /Arlington/.test(last) ? 'Grace Hopper; Arlington.' : 'No idea.');
}

const parse = (stdout: string): EvalsReport => JSON.parse(stdout);

// Each starts the program several times, which takes long where many do.
describe('svc evals', { timeout: 90_000 }, () => {
  // Requirements: feature.evals, model.api_key, model.default, user-file.models
  it('puts examples/shop to a model: 0 when all pass, with tokens, cost, transcripts and JUnit', async () => {
    const { url, received } = await startDouble([goodClaude]);
    const { root, run } = shop(url, url);
    const [text, json] = [await run('--junit', 'out/evals.xml'), await run('sales', '--json')];
    expect({ code: text.code, stderr: text.stderr.replace(/created .*\n/, '') }).toEqual({
      code: 0,
      stderr: '',
    });
    expect(text.stdout).toMatch(
      /^sales {2}evals\/sales\.yml {2}claude-4-sonnet\n {2}✓ finds_products {2}1 call/,
    );
    expect(text.stdout).toMatch(/^sales +claude-4-sonnet +3 +252 +48 +0\.0015 USD$/m);
    expect(text.stdout).toMatch(/^3 passed \(3 tests, [\d.]+ s\)$/m);
    expect(readFileSync(join(root, 'out/evals.xml'), 'utf8')).toContain('<testsuite name="sales"');
    expect(json.code).toBe(0);
    const report = parse(json.stdout);
    expect(report).toMatchObject({
      status: 'ok',
      tests_run: 3,
      usage: { input_tokens: 252, output_tokens: 48 },
    });
    const private_ = report.suites[0]?.tests[1];
    expect(private_?.calls[0]).toMatchObject({
      tool: 'get_customer',
      status: 'denied',
      error: 'denied: Sign in to see customers',
    });
    const kept = readFileSync(join(root, 'evals/transcripts/sales/finds_products.json'), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({
      test: 'finds_products',
      turns: [{ calls: [{ tool: 'search_products' }] }, {}],
    });
    expect(readFileSync(join(root, 'evals/transcripts/.gitignore'), 'utf8')).toBe('*\n');
    expect(JSON.stringify(received[0]?.headers)).toContain(KEY);
    expect([text.stdout, json.stdout, kept].join()).not.toContain(KEY);
  });

  // Requirements: command.evals
  it('takes the model of the command line first, and exits with 1 when a test fails', async () => {
    const { url, received } = await startDouble([
      { body: openAiCompletion({ tool_calls: [openAiCall('c', 'nothing_like_it', '{')] }) },
      { body: openAiCompletion({ content: 'Teapot' }) },
    ]);
    const { root, run } = shop('http://127.0.0.1:1', url);
    const { code, stdout } = await run('--model', 'gpt-4.1', '--concurrency', '1', '--out', 'kept', '--json');
    const report = parse(stdout);
    expect({ code, status: report.status }).toEqual({ code: 1, status: 'failed' });
    expect(report.suites[0]).toMatchObject({ model: 'gpt-4.1', status: 'failed' });
    expect(report).not.toHaveProperty('cost');
    expect(report.suites[0]?.tests[0]).toMatchObject({
      status: 'failed',
      transcript: 'kept/sales/finds_products.json',
      failures: [
        expect.stringMatching(/^must_call: search_products \{"category":"office"\} was not called/),
        expect.stringMatching(/^answer_contains: "Desk lamp" is missing/),
        expect.stringMatching(/^answer_not_contains: "Teapot" occurs/),
      ],
    });
    expect(received[0]?.path).toBe('/chat/completions');
    expect(existsSync(join(root, 'evals/transcripts'))).toBe(false);
  });

  it('keeps a model that cannot be asked apart from one that fails, and a broken suite from the others', async () => {
    const { url } = await startDouble([goodClaude]);
    const { root, run } = shop(url, 'http://127.0.0.1:1');
    writeFileSync(join(root, 'evals/broken.yml'), 'svc: 1\nsuite: broken\ntests: []\n');
    writeFileSync(
      join(root, 'evals/gone.yml'),
      'svc: 1\nsuite: gone\nmodel: gpt-4.1\ntests: [{ name: t, prompt: Hi }]\n',
    );
    writeFileSync(
      join(root, 'evals/odd.yml'),
      'svc: 1\nsuite: odd\nmodel: gpt-4.2\ntests: [{ name: t, prompt: Hi }]\n',
    );
    const { code, stdout } = await run('--json');
    const { status, suites } = parse(stdout);
    expect({ code, status }).toEqual({ code: 1, status: 'error' });
    expect(suites.map((suite) => [suite.path, suite.status])).toEqual([
      ['evals/broken.yml', 'error'],
      ['evals/gone.yml', 'error'],
      ['evals/odd.yml', 'error'],
      ['evals/sales.yml', 'passed'],
    ]);
    expect(suites[0]?.error).toMatch(/^evals\/broken\.yml:3:\d+: `tests` must not be empty/);
    expect(suites[1]?.tests[0]?.error).toMatch(/^model_failed: gpt-4\.1: Connection error/);
    expect(suites[2]?.error).toMatch(/evals\/odd\.yml names the model gpt-4\.2, .*Did you mean gpt-4\.1\?/);
    const { code: one } = await run('sales');
    expect(one).toBe(0);
    const validate = await svc(['validate'], root);
    expect(validate).toMatchObject({ code: 1, stdout: expect.stringContaining('evals/broken.yml:3') });
    expect((await svc(['validate', 'evals/sales.yml'], root)).code).toBe(0);
  });

  it.skipIf(spawnSync('python3', ['--version']).status !== 0)('calls Python too', async () => {
    const { url } = await startDouble([
      { body: claudeMessage([{ type: 'tool_use', id: 't', name: 'double_it', input: { n: 21 } }]) },
      ({ messages }) => ({ body: claudeMessage([{ type: 'text', text: JSON.stringify(messages) }]) }),
    ]);
    const { root, run } = shop(url, url);
    writeFileSync(
      join(root, 'tools/double_it.yml'),
      `svc: 1
tool:
  name: double_it
  language: python
  parameters: [{ name: n, type: integer }]
  return: { type: integer }
  source: { file: ../python/double_it.py }
`,
    );
    mkdirSync(join(root, 'python'), { recursive: true });
    writeFileSync(join(root, 'python/double_it.py'), 'def double_it(n):\n    return 2 * n\n');
    writeFileSync(
      join(root, 'evals/python.yml'),
      'svc: 1\nsuite: python\ntests: [{ name: t, prompt: Hi, assertions: { must_call: [{ tool: double_it, args: { n: 21 } }], answer_contains: "42" } }]\n',
    );
    const { code, stdout } = await run('python', '--json');
    expect({ code, ...parse(stdout).suites[0]?.tests[0] }).toMatchObject({
      code: 0,
      calls: [{ result: 42 }],
    });
  });

  it('says 2 to what was not understood', async () => {
    const { run } = shop('http://127.0.0.1:1', 'http://127.0.0.1:1');
    const [suite, model, many] = [
      await run('saless'),
      await run('--model', 'claude-4-sonet'),
      await run('--concurrency', '0'),
    ];
    expect([suite.code, model.code, many.code]).toEqual([2, 2, 2]);
    expect(suite.stderr).toContain('There is no suite saless. Did you mean sales?');
    expect(model.stderr).toContain('Did you mean claude-4-sonnet?');
  });

  it('has nothing to do where there are no suites', async () => {
    const root = join(folder(), 'empty');
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'svc-site.yml'), 'svc: 1\nproject: demo\nprofile: default\n');
    const [text, json] = [await svc(['evals'], root), await svc(['evals', '--json'], root)];
    expect([text.code, json.code]).toEqual([0, 0]);
    expect(text.stdout).toContain('There are no suites below evals/');
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 'ok', suites: [], no_evals: true });
  });
});
