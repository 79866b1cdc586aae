import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openProjectFiles } from '../../../../adapters/node/project/project-files.ts';
import { addTest, draftTest, saveTest } from '../../../../cli/workbench/save-test.ts';
import { loadProject } from '../../../../src/project/load.ts';

const TEST = {
  name: 'saved',
  arguments: [{ key: 'id', value: 1 }],
  user_context: { role: 'support' },
  result: { id: 1, note: 'a: b', list: ['x', null] },
};

const BLOCK = `# the head
svc: 1
tool:
  name: one # its name
  source: { code: SELECT 1 AS x }
  tests:
    # the first
    - name: first
      arguments: [] # none
      result: 1

    - name: second
      arguments: []
      result: |
        two
        lines
  # after the tests
  tags: [a]
# the end
`;

/** The lines of a text that are not in another. */
const added = (before: string, after: string) => {
  const known = before.split('\n');
  return after.split('\n').filter((line) => !known.includes(line));
};

describe('a saved test', () => {
  // Requirements: workbench.save
  it.each([
    ['a list in the middle of the file', BLOCK],
    ['a list at the end', BLOCK.slice(0, BLOCK.indexOf('  # after'))],
    ['a list at the end without a line break', BLOCK.slice(0, BLOCK.indexOf('\n  # after'))],
    ['no tests', BLOCK.replace(/ {2}tests:[\s\S]*? {2}# after/, '  # after')],
    ['no tests and no line break', 'svc: 1\ntool:\n  name: one\n  source: { code: SELECT 1 }'],
    [
      'list items at the column of their key',
      'tool:\n  tests:\n  - name: x\n    arguments: []\n  name: one\n',
    ],
  ])('adds lines and changes none: %s', (_, before) => {
    const after = addTest(before, 'tool', TEST);
    const old = parse(before);
    const tests = [...(old.tool.tests ?? []), TEST];
    expect(parse(after)).toEqual({ ...old, tool: { ...old.tool, tests } });
    const kept = before.split('\n').filter((line) => line !== '');
    expect(kept.filter((line) => !after.split('\n').includes(line))).toEqual([]);
    expect(added(before, after).length).toBeGreaterThan(3);
  });

  // Requirements: workbench.save
  it.each([
    ['a list in one line', 'tool: # here\n  tests: [{ name: x, arguments: [] }] # all\n  name: one\n'],
    ['an endpoint in one line', 'tool: { name: one, tests: [] } # all\n'],
    ['an empty list', 'tool:\n  name: one # here\n  tests: []\n'],
    ['aliases', 'tool:\n  name: one\n  tests: &t\n    - &x { name: x, arguments: [] }\n    - *x # all\n'],
  ])('keeps comments: %s', (_, before) => {
    const after = addTest(before, 'tool', TEST);
    const old = parse(before);
    expect(parse(after)).toEqual({ tool: { ...old.tool, tests: [...old.tool.tests, TEST] } });
    for (const [comment] of before.matchAll(/#.*/g)) expect(after).toContain(comment);
  });

  it.each([
    ['a list', BLOCK],
    ['a list in one line', 'tool:\n  tests: [{ name: x, arguments: [] }] # all\n  name: one\n'],
  ])('keeps the line ends of Windows: %s', (_, before) => {
    const after = addTest(before.replaceAll('\n', '\r\n'), 'tool', TEST);
    expect(after).toBe(addTest(before, 'tool', TEST).replaceAll('\n', '\r\n'));
  });

  it('keeps integers beyond 2^53 in a file that it writes anew', () => {
    const before =
      'tool:\n  name: one\n  tests: []\n  parameters: [{ name: id, maximum: 9007199254740993 }]\n';
    expect(addTest(before, 'tool', TEST)).toContain('maximum: 9007199254740993');
  });

  it('refuses a file that is no endpoint', () => {
    expect(() => addTest('tool: [', 'tool', TEST)).toThrow('no tool');
    expect(() => addTest('prompt: { name: x }\n', 'tool', TEST)).toThrow('no tool');
  });
});

const DRAFT = {
  endpoint: 'tool/one',
  name: 'saved',
  arguments: {},
  user_context: null,
  expect: { result: 1 },
};

async function projectAt(root: string) {
  await writeFile(join(root, 'svc-site.yml'), 'svc: 1\nproject: shop\nprofile: default\n');
  return loadProject(await openProjectFiles(root), root);
}

it('keeps the mode and the link of its file', async () => {
  const root = await mkdtemp(join(tmpdir(), 'svc-save-'));
  await mkdir(join(root, 'tools'));
  await mkdir(join(root, 'shared'));
  const [shared, linked] = [join(root, 'shared/one.yml'), join(root, 'tools/one.yml')];
  await writeFile(shared, BLOCK, { mode: 0o640 });
  await symlink(shared, linked);
  const project = await projectAt(root);
  const { hash } = await draftTest(project, DRAFT);
  await saveTest(project, DRAFT, hash);
  expect((await lstat(linked)).isSymbolicLink()).toBe(true);
  expect(await readFile(shared, 'utf8')).toContain('name: saved');
  expect((await stat(shared)).mode & 0o777).toBe(0o640);
  expect(await readdir(join(root, 'shared'))).toEqual(['one.yml']);
  await rm(root, { recursive: true });
});

it('loses no test if two pages save at once: the second sees that the file has changed', async () => {
  const root = await mkdtemp(join(tmpdir(), 'svc-save-'));
  await mkdir(join(root, 'tools'));
  await writeFile(join(root, 'tools/one.yml'), BLOCK);
  const project = await projectAt(root);
  const { hash } = await draftTest(project, DRAFT);
  const ended = await Promise.allSettled(
    ['left', 'right'].map((name) => saveTest(project, { ...DRAFT, name }, hash)),
  );
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  const text = await readFile(join(root, 'tools/one.yml'), 'utf8');
  expect(text).toContain('name: left');
  expect(text).not.toContain('name: right');
  await saveTest(project, { ...DRAFT, name: 'right' }, (await draftTest(project, DRAFT)).hash);
  expect(await readFile(join(root, 'tools/one.yml'), 'utf8')).toMatch(/name: left[\s\S]*name: right/);
  await rm(root, { recursive: true });
});
