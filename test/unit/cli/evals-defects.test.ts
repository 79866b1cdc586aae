import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import { claudeMessage, startDouble } from '../adapters/models/double.ts';
import { folder, project, svc } from './svc.ts';

const GUARDED = `svc: 1
tool:
  name: guarded
  description: For bosses.
  source: { code: SELECT 'the secret' AS secret }
  policies: { input: [{ condition: "true", action: deny, reason: Bosses only. }] }
`;
const SUITE = `svc: 1
suite: greetings
tests:
  - name: greets
    prompt: Greet Ada.
    assertions:
      must_call: [{ tool: hello_world, args: { name: Ada } }]
      max_calls: 2
      answer_contains: [Hello Ada, Bosses only]
`;

/** Calls a tool whose SQL is a file and one that is denied, then quotes a call in its answer. */
function model({ messages }: JsonObject) {
  const turns = Array.isArray(messages) ? messages : [];
  const calls = [
    { type: 'tool_use', id: 'a', name: 'hello_world', input: { name: 'Ada' } },
    { type: 'tool_use', id: 'b', name: 'guarded', input: {} },
  ];
  if (turns.length === 1) return { body: claudeMessage(calls) };
  const last = JSON.stringify(turns.at(-1));
  const told = [/Hello, Ada/.test(last) && 'Hello Ada.', /Bosses only/.test(last) && 'Bosses only.'].filter(
    Boolean,
  );
  const quoted = '{"tool": "guarded", "arguments": {}}';
  return { body: claudeMessage([{ type: 'text', text: `${told.join(' ')} I called it so: ${quoted}` }]) };
}

it('D18: all suites and one have the right exit codes, files of SQL run, policies hold, quoted calls are none', {
  timeout: 120_000,
}, async () => {
  const root = await project();
  const { url } = await startDouble([model]);
  writeFileSync(join(root, 'tools/guarded.yml'), GUARDED);
  mkdirSync(join(root, 'evals'), { recursive: true });
  writeFileSync(join(root, 'evals/greetings.yml'), SUITE);
  const config = join(root, 'user.yml');
  writeFileSync(
    config,
    `svc: 1\nmodels:\n  default: claude-4-sonnet\n  claude-4-sonnet: { type: claude, api_key: "\${KEY}", base_url: "${url}" }\n`,
  );
  const evals = (...args: readonly string[]) =>
    svc(['evals', ...args], root, { SVC_CONFIG: config, KEY: 'k' });
  const all = await evals('--json');
  expect(JSON.parse(all.stdout)).toMatchObject({ status: 'ok', tests_run: 1 });
  expect(all.code).toBe(0);
  expect((await evals('greetings')).code).toBe(0);
  expect((await evals('farewells')).code).toBe(2);
  writeFileSync(join(root, 'evals/greetings.yml'), SUITE.replace('Hello Ada', 'Goodbye Ada'));
  expect([(await evals()).code, (await evals('greetings')).code]).toEqual([1, 1]);
});

it('says that a model is not offered endpoints with errors', { timeout: 120_000 }, async () => {
  const root = await project();
  const { url } = await startDouble([{ body: claudeMessage([{ type: 'text', text: 'Hello.' }]) }]);
  writeFileSync(join(root, 'tools/guarded.yml'), GUARDED.replace('source:', 'sauce:'));
  mkdirSync(join(root, 'evals'));
  writeFileSync(
    join(root, 'evals/a.yml'),
    'svc: 1\nsuite: a\ntests: [{ name: t, prompt: Hi, assertions: { must_not_call: guarded } }]\n',
  );
  const config = join(root, 'user.yml');
  writeFileSync(
    config,
    `svc: 1\nmodels: { default: m, m: { type: claude, api_key: k, base_url: "${url}" } }\n`,
  );
  const { stderr } = await svc(['evals'], root, { SVC_CONFIG: config });
  expect(stderr).toContain('The model is not offered 1 endpoint with errors; `svc validate` shows them.');
});

it('suites that cannot be read do not pass as no suites', { timeout: 120_000 }, async () => {
  const root = await project();
  symlinkSync(folder(), join(root, 'evals'));
  const { code, stderr, stdout } = await svc(['evals'], root);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error: evals cannot be read: .*leads out of the project's folder/);
});
