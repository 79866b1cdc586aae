import { describe, expect, it } from 'vitest';
import { checkCatalog } from '../../../src/catalog/checks/check.ts';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import type { Catalog } from '../../../src/catalog/model.ts';
import { toMarkdown } from '../../../src/project/skills/front-matter.ts';
import { loadTree, type Tree } from '../call/project.ts';

const SOUND = '---\nname: ask\ndescription: How to ask\n---\nText.\n';

async function findingsOf(tree: Tree): Promise<readonly string[]> {
  const project = await loadTree(tree);
  const found = [...project.findings, ...(await checkCatalog(project))];
  return found.map(
    ({ severity, code, file, line, message }) => `${severity} ${code} ${file}:${line} ${message}`,
  );
}

describe('a skill', () => {
  it('is a file, or a folder with SKILL.md', async () => {
    expect(await findingsOf({ 'skills/ask.md': SOUND })).toEqual([]);
    expect(await findingsOf({ 'skills/ask/SKILL.md': SOUND, 'skills/ask/a.txt': 'x' })).toEqual([]);
  });

  // Requirements: skill.checked
  it.each<[string, Tree, string]>([
    ['no front matter', { 'skills/ask.md': '# Ask\n' }, 'error front-matter skills/ask.md:1 '],
    ['an open one', { 'skills/ask.md': '---\nname: ask\n' }, 'error front-matter skills/ask.md:1 '],
    [
      'no name',
      { 'skills/ask.md': '---\ndescription: x\n---\ny' },
      'error missing-field skills/ask.md:2 `name` is missing.',
    ],
    [
      'no description',
      { 'skills/ask.md': '---\nname: ask\n---\ny' },
      'error missing-field skills/ask.md:2 `description` is missing.',
    ],
    [
      'a name in capitals',
      { 'skills/Ask.md': SOUND.replace('ask', 'Ask') },
      'error wrong-value skills/Ask.md:2 `name` must be a name',
    ],
    [
      'another name than its file',
      { 'skills/other.md': SOUND },
      'error skill-name skills/other.md:2 `name` is ask, but the file is named other.md.',
    ],
    [
      'another name than its folder',
      { 'skills/other/SKILL.md': SOUND },
      'error skill-name skills/other/SKILL.md:2 `name` is ask, but the folder is named other.',
    ],
    [
      'a long description',
      { 'skills/ask.md': SOUND.replace('How to ask', 'x'.repeat(1_025)) },
      'error wrong-value skills/ask.md:3 `description` must have at most 1024',
    ],
    [
      'an unknown key',
      { 'skills/ask.md': SOUND.replace('---\nT', 'scope: a\n---\nT') },
      'error unknown-key skills/ask.md:4 `scope` is not a known key here.',
    ],
    [
      'metadata that is no text',
      { 'skills/ask.md': SOUND.replace('---\nT', 'metadata: { year: 2026 }\n---\nT') },
      'error wrong-type skills/ask.md:4 `metadata.year`',
    ],
    [
      'YAML that is none',
      { 'skills/ask.md': '---\nname: "a\n---\nText.\n' },
      'error yaml-syntax skills/ask.md:',
    ],
    [
      'no text',
      { 'skills/ask.md': '---\nname: ask\ndescription: x\n---\n\n' },
      'error file-empty skills/ask.md:5 ',
    ],
    [
      'a rule about output',
      { 'skills/ask.md': SOUND.replace('---\nT', 'policies: { output: [] }\n---\nT') },
      'error unknown-key skills/ask.md:4 `policies.output`',
    ],
    [
      'a rule that is no condition',
      {
        'skills/ask.md': SOUND.replace(
          '---\nT',
          'policies: { input: [{ condition: "user.", action: deny }] }\n---\nT',
        ),
      },
      'error policy skills/ask.md:4 ',
    ],
    [
      'a folder without SKILL.md',
      { 'skills/ask/skill.md': SOUND },
      'error skill-file skills/ask/skill.md:0 The folder skills/ask has no SKILL.md',
    ],
    ['a file that belongs to none', { 'skills/notes.txt': 'x' }, 'warning skill-file skills/notes.txt:0 '],
    [
      'too many bytes',
      { 'skills/ask/SKILL.md': SOUND, 'skills/ask/a.txt': 'x'.repeat(1_048_570) },
      'error file-size skills/ask/SKILL.md:1 ',
    ],
    ['two of one name', { 'skills/ask.md': SOUND, 'skills/ask/SKILL.md': SOUND }, 'error duplicate'],
  ])('with %s is a finding', async (_, tree, start) => {
    const found = await findingsOf(tree);
    expect(
      found.map((line) => line.startsWith(start)),
      found.join('\n'),
    ).toContain(true);
  });

  it('of a file that is no text names that file', async () => {
    const found = await findingsOf({ 'skills/ask/SKILL.md': SOUND, 'skills/ask/a.bin': '\u0000' });
    expect(found).toEqual([expect.stringContaining('error control-character skills/ask/a.bin:1')]);
  });

  it('that is disabled has warnings, and is not served', async () => {
    const off = SOUND.replace('---\nT', 'enabled: false\n---\nT');
    const project = await loadTree({ 'skills/other.md': off });
    expect(project.findings).toMatchObject([{ severity: 'warning', code: 'skill-name' }]);
    const { resources } = await compileCatalog(await loadTree({ 'skills/ask.md': off }));
    expect(resources).toEqual({});
  });

  // Requirements: skill.artefact
  it('is in the manifest of an artefact with its text and digests', async () => {
    const catalog = await compileCatalog(await loadTree({ 'skills/ask.md': SOUND }));
    const read: Catalog = JSON.parse(JSON.stringify(catalog));
    const text = '---\nname: "ask"\ndescription: "How to ask"\n---\nText.\n';
    const uri = 'skill://ask/SKILL.md';
    expect(read.resources[uri]).toMatchObject({
      source: { language: 'text', text },
      skill: {
        uri,
        resources: [{ uri, size: text.length, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }],
      },
    });
  });
});

describe('the Markdown of a skill', () => {
  it('quotes every text', () => {
    expect(toMarkdown({ name: 'a', metadata: { 'x: y': 'yes' } }, 'b')).toBe(
      '---\nname: "a"\nmetadata:\n  "x: y": "yes"\n---\nb',
    );
  });
});
