import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVALS_WORDS } from '../../../../src/quality/editor/evals-words.ts';
import { checkSuites } from '../../../../src/quality/evals/check.ts';
import { loadSuites } from '../../../../src/quality/evals/suite.ts';
import { load, memoryFiles, type Tree } from '../../project/memory.ts';

const TOOL = `svc: 1
tool:
  name: find_customer
  parameters: [{ name: id, type: integer }]
  source: { code: SELECT $id AS id }
`;
const RESOURCE = `svc: 1
resource:
  uri: shop://orders/{id}
  name: order
  parameters: [{ name: id, type: integer }]
  source: { code: SELECT $id AS id }
`;

const suite = (tests: string, head = '') => `svc: 1\nsuite: one\n${head}tests:\n${tests}`;

async function linesOf(tree: Tree): Promise<readonly string[]> {
  const project = await load({ 'tools/a.yml': TOOL, 'resources/b.yml': RESOURCE, ...tree });
  const { files, findings } = await loadSuites(memoryFiles(tree), 'evals');
  return [...findings, ...checkSuites(files, project)].map(
    ({ severity, file, line, message, fix }) => `${severity} ${file}:${line} ${message} ${fix}`,
  );
}

describe('suites of evaluations', () => {
  it('are read from .yml and .yaml at any depth, with their defaults', async () => {
    const text = suite('  - { name: t, prompt: Hi }\n');
    const { files, findings } = await loadSuites(
      memoryFiles({
        'evals/a.yml': text,
        'evals/deep/b.yaml': text.replace('one', 'two'),
        'evals/.x.yml': 'no',
      }),
      'evals',
    );
    expect(findings).toEqual([]);
    expect(files.map(({ file, suite: read }) => [file, read?.name])).toEqual([
      ['evals/a.yml', 'one'],
      ['evals/deep/b.yaml', 'two'],
    ]);
    expect(files[0]?.suite).toMatchObject({
      model: null,
      system: null,
      limits: { turns: 10, resultBytes: 65_536, tokens: 4_096 },
      tests: [{ name: 't', prompt: 'Hi', userContext: null, assertions: { mustCall: [], maxCalls: null } }],
    });
  });

  it('take every key, and one text where a list is meant', async () => {
    const text = readFileSync('examples/shop/evals/sales.yml', 'utf8');
    const { files, findings } = await loadSuites(memoryFiles({ 'evals/sales.yml': text }), 'evals');
    expect(findings).toEqual([]);
    expect(files[0]?.suite?.tests[0]?.assertions).toMatchObject({
      mustCall: [{ tool: 'search_products', args: { category: 'office' } }],
      answerContains: ['Desk lamp'],
      maxCalls: 3,
    });
  });

  it('name what is wrong, with its line and the nearest key', async () => {
    const text = suite(
      '  - name: t\n    prompt: Hi\n    assertions:\n      must_cal: []\n      answer_matches: "("\n      max_calls: -1\n',
      'modle: x\n',
    );
    const lines = await linesOf({ 'evals/a.yml': text });
    expect(lines).toEqual([
      'error evals/a.yml:3 `modle` is not a known key here. Did you mean `model`?',
      'error evals/a.yml:8 `tests[0].assertions.must_cal` is not a known key here. Did you mean `must_call`?',
      expect.stringMatching(/evals\/a\.yml:9 .*is not a valid regular expression of JavaScript/),
      expect.stringMatching(/evals\/a\.yml:10 .*whole number from 0 to 1000/),
    ]);
  });

  it('have users whose keys have the right types', async () => {
    const text = suite('  - { name: t, prompt: Hi, user_context: { role: [1], team: 5 } }\n');
    expect(await linesOf({ 'evals/a.yml': text })).toEqual([
      'error evals/a.yml:4 `tests[0].user_context.role` must be text, not a list. Write text after the colon.',
    ]);
  });

  it('must name what models are offered, and its parameters', async () => {
    const text = suite(`  - name: t
    prompt: Hi
    assertions:
      must_call: [{ tool: find_custmer }, { tool: find_customer, args: { idd: 1 } }, { tool: order, args: { id: 1 } }]
      must_not_call: ["shop://orders/{id}", nothing]
      must_call_in_order: [find_customer]
`);
    const offering = text.replace('tests:', 'offer: [find_custome, order]\ntests:').replace('one', 'two');
    expect((await linesOf({ 'evals/a.yml': offering }))[0]).toBe(
      'error evals/a.yml:3 No model is offered "find_custome". Did you mean find_customer?',
    );
    expect(await linesOf({ 'evals/a.yml': text })).toEqual([
      'error evals/a.yml:7 No model is offered "find_custmer". Did you mean find_customer?',
      'error evals/a.yml:7 find_customer has no parameter idd. Did you mean id?',
      'error evals/a.yml:8 No model is offered "nothing". Name a tool, or the URI of a resource, as `svc list` shows it.',
    ]);
  });

  it('have names of their own, and so have their tests', async () => {
    const text = suite('  - { name: t, prompt: Hi }\n');
    const twice = suite('  - { name: t, prompt: Hi }\n  - { name: T, prompt: Ho }\n').replace('one', 'three');
    expect(await linesOf({ 'evals/a.yml': text, 'evals/b.yml': text, 'evals/c.yml': twice })).toEqual([
      'error evals/a.yml:2 The suite one is in evals/a.yml and in evals/b.yml. Rename one of them.',
      'error evals/b.yml:2 The suite one is in evals/a.yml and in evals/b.yml. Rename one of them.',
      'error evals/c.yml:5 `tests[1].name` is T, which is the name of a test above. Rename one of them.',
    ]);
  });

  it('may name anything while an endpoint cannot be read', async () => {
    const text = suite('  - { name: t, prompt: Hi, assertions: { must_not_call: nothing } }\n');
    expect(await linesOf({ 'evals/a.yml': text, 'tools/broken.yml': 'tool: {' })).toEqual([]);
  });

  it('are told about in the documentation, key by key', () => {
    const page = readFileSync('docs/how-to/evaluate-with-models.md', 'utf8');
    const names = Object.keys(EVALS_WORDS).map((key) => key.split('.').at(-1) ?? '');
    expect(names.filter((name) => !page.includes(name.replace('[]', '')))).toEqual([]);
  });
});
