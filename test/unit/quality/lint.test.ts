import { describe, expect, it } from 'vitest';
import type { Files } from '../../../src/ports.ts';
import { loadProject } from '../../../src/project/load.ts';
import { isAtLeast, lintProject } from '../../../src/quality/lint/lint.ts';

/** A project of these files, in memory. */
async function lint(endpoints: Readonly<Record<string, string>>) {
  const all: Record<string, string> = { 'svc-site.yml': 'svc: 1\nproject: p\nprofile: dev\n', ...endpoints };
  const files: Files = {
    list: async (folder) => Object.keys(all).filter((path) => path.startsWith(`${folder}/`)),
    read: async (path) => (all[path] === undefined ? null : new TextEncoder().encode(all[path])),
  };
  const project = await loadProject(files, '/p');
  expect(project.findings).toEqual([]);
  return lintProject(project.endpoints);
}

const BARE = `svc: 1
tool:
  name: bare
  parameters:
    - name: id
      type: integer
    - { name: mode, type: string, enum: [a, b], default: a, description: ' ' }
  return:
    type: array
    items:
      type: object
      properties:
        tags:
          type: array
          items: { type: string }
  source: { code: "SELECT $id, $mode" }
  tests:
    - name: one
      arguments: []
      result_length: 0
`;

const FULL = `svc: 1
tool:
  name: full
  description: Answers
  tags: [a]
  annotations: { title: Full }
  parameters:
    - { name: id, type: integer, description: Which, default: 1, examples: [7] }
    - { name: all, type: boolean, description: Whether, default: false }
  return: { type: object, description: One, properties: { n: { type: integer, description: Its number } } }
  source: { code: "SELECT $id AS n WHERE $all" }
  tests: [{ name: one, description: finds it, arguments: [] }]
`;

describe('lintProject', () => {
  // Requirements: command.lint
  it('says everything that is left unsaid, each once, where it is missing', async () => {
    const found = await lint({ 'tools/bare.yml': BARE });
    expect(found.map(({ severity, code, line, column }) => `${line}:${column} ${severity} ${code}`)).toEqual([
      '3:3 warning endpoint-description',
      '3:3 info endpoint-tags',
      '3:3 info tool-annotations',
      '5:7 error parameter-description',
      '5:7 info parameter-examples',
      '5:7 info parameter-default',
      '7:7 error parameter-description',
      '9:5 warning return-description',
      '11:7 warning return-description',
      '14:11 warning return-description',
      '15:18 warning return-description',
      '18:7 info test-description',
    ]);
    for (const { file, message, fix } of found) {
      expect(file).toBe('tools/bare.yml');
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(fix).toMatch(/^[A-Z].*\.$/);
    }
    expect(found.filter(({ code }) => code === 'return-description').map(({ message }) => message)).toEqual([
      'The `return` type has no description.',
      'The type of the items has no description.',
      'The property tags of the result has no description.',
      'The type of the items of tags has no description.',
    ]);
  });

  it('has nothing to say of an endpoint that says everything, or that is disabled', async () => {
    const off = BARE.replace('  name: bare\n', '  name: bare\n  enabled: false\n');
    expect(await lint({ 'tools/full.yml': FULL, 'tools/off.yml': off })).toEqual([]);
  });

  it('asks tools and resources for tests, prompts not; tools alone for annotations', async () => {
    const found = await lint({
      'resources/r.yml': 'svc: 1\nresource:\n  uri: a://b\n  source: { code: SELECT 1 }\n',
      'prompts/p.yml': 'svc: 1\nprompt:\n  name: p\n  messages: [{ prompt: Hi }]\n',
    });
    expect(found.map(({ file, code }) => `${file} ${code}`)).toEqual([
      'prompts/p.yml endpoint-description',
      'prompts/p.yml endpoint-tags',
      'resources/r.yml endpoint-description',
      'resources/r.yml endpoint-tags',
      'resources/r.yml endpoint-tests',
    ]);
  });

  it('knows which severity is graver', async () => {
    const [warning] = await lint({ 'tools/bare.yml': BARE });
    if (!warning) throw new Error('nothing was found');
    expect((['error', 'warning', 'info'] as const).map((least) => isAtLeast(warning, least))).toEqual([
      false,
      true,
      true,
    ]);
  });
});
