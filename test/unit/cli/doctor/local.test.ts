import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openProjectFiles } from '../../../../adapters/node/project/project-files.ts';
import { checkConfiguration, checkFiles } from '../../../../cli/commands/doctor.ts';
import { checkNode, diagnosePython } from '../../../../cli/doctor/local/runtimes.ts';
import type { Finding } from '../../../../src/project/finding.ts';
import { loadProject } from '../../../../src/project/load.ts';

const TOOL = `svc: 1
tool:
  name: hello
  description: Greets.
  language: python
  source: { file: ../python/hello.py }
`;

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  await mkdir(join(root, 'tools'));
  await writeFile(join(root, 'svc-site.yml'), 'svc: 1\nproject: demo\nprofile: default\n');
});
afterEach(() => rm(root, { recursive: true }));

const load = async () => loadProject(await openProjectFiles(root), root, undefined);

test('a project without errors is told by its name and profile', async () => {
  const project = await load();
  expect(checkFiles({ project, findings: project.findings })).toMatchObject({
    status: 'ok',
    message: 'demo, profile default, 0 endpoints',
  });
});

test('of a project with errors the first is told with its place and its fix', async () => {
  await writeFile(join(root, 'tools/bad.yml'), 'svc: 1\ntool:\n  name: bad\n  sauce: x\n');
  const project = await load();
  expect(checkFiles({ project, findings: project.findings })).toMatchObject({
    status: 'problem',
    message: expect.stringMatching(/^\d errors?, the first at tools\/bad\.yml:\d: /),
    fix: expect.any(String),
  });
});

const AT = { user: null, selected: { project: 'demo', profile: 'default' } };

const finding = (code: string, message: string): Finding => ({
  ...{ severity: 'error', code, file: 'config.yml', line: 4, column: 7, message, fix: 'Do this.' },
});

test('values and references are told apart, each problem with its line', () => {
  const look = (findings: readonly Finding[]) =>
    checkConfiguration({ settings: null, findings, effective: [], at: AT }).map(({ name, status }) => [
      name,
      status,
    ]);
  const [lost, wrong] = [finding('reference-unresolved', 'is lost'), finding('unknown-key', 'is wrong')];
  expect(look([])).toEqual([
    ['configuration', 'ok'],
    ['references', 'ok'],
  ]);
  expect(look([lost, lost])).toEqual([
    ['configuration', 'ok'],
    ['references', 'problem'],
    ['references', 'problem'],
  ]);
  expect(look([wrong])).toEqual([['configuration', 'problem']]);
  expect(checkConfiguration({ settings: null, findings: [lost], effective: [], at: AT })[1]).toEqual({
    ...{ name: 'references', status: 'problem', message: 'config.yml:4: is lost', fix: 'Do this.' },
  });
});

test('a Node that is too old is a problem', () => {
  expect(checkNode().status).toBe('ok');
  expect(checkNode('22.15.0').status).toBe('ok');
  for (const old of ['22.14.0', '20.20.2']) {
    expect(checkNode(old)).toMatchObject({ status: 'problem', fix: expect.stringContaining('nodejs.org') });
  }
});

test('Python is looked for where an endpoint is written in it, and nowhere else', async () => {
  const nowhere = { PATH: join(root, 'nothing') };
  expect(await diagnosePython(await load(), nowhere)).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/needs Python/),
  });
  await mkdir(join(root, 'python'));
  await writeFile(join(root, 'python/hello.py'), 'def hello():\n    return 1\n');
  await writeFile(join(root, 'tools/hello.yml'), TOOL);
  expect(await diagnosePython(await load(), nowhere)).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/^Pyodide .*, there is no python3$/),
  });
  expect(await diagnosePython(await load(), { ...nowhere, SVC_PYTHON: 'pyodide' })).toMatchObject({
    message: expect.stringMatching(/^Pyodide .*, as SVC_PYTHON says$/),
  });
  expect(await diagnosePython(await load(), { SVC_PYTHON: '/no/such/python' })).toMatchObject({
    status: 'problem',
    fix: expect.stringMatching(/SVC_PYTHON/),
  });
});

test('the interpreter of the profile is looked for, and SVC_PYTHON before it', async () => {
  await mkdir(join(root, 'python'));
  await writeFile(join(root, 'python/hello.py'), 'def hello():\n    return 1\n');
  await writeFile(join(root, 'tools/hello.yml'), TOOL);
  const site = await readFile(join(root, 'svc-site.yml'), 'utf8');
  const profile = 'profiles: { default: { python: { interpreter: bin/python } } }\n';
  await writeFile(join(root, 'svc-site.yml'), `${site}${profile}`);
  expect(await diagnosePython(await load(), process.env)).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('bin/python: the program does not exist'),
  });
  expect(await diagnosePython(await load(), { SVC_PYTHON: 'pyodide' })).toMatchObject({ status: 'ok' });
});
