import { describe, expect, it } from 'vitest';
import { resolvePath } from '../../../src/project/endpoints/source.ts';
import { load, short, type Tree } from './memory.ts';

const TOOL = (source: string, more = '') => `tool:\n  name: a\n${more}  source: ${source}\n`;

async function sourceOf(text: string, tree: Tree = {}) {
  const { endpoints, findings } = await load({ 'tools/deep/a.yml': text, ...tree });
  const endpoint = endpoints[0]?.endpoint;
  return {
    source: endpoint && endpoint.kind !== 'prompt' ? endpoint.source : null,
    findings: findings.map(short),
  };
}

describe('source', () => {
  // Requirements: endpoint.source
  it.each([
    ['q.sql', 'tools/deep/q.sql'],
    ['./q.sql', 'tools/deep/q.sql'],
    ['../../sql/q.sql', 'sql/q.sql'],
    ['/sql/q.sql', 'sql/q.sql'],
    ['..//x/../q.sql', 'tools/q.sql'],
    ['../../../q.sql', null],
    ['/../q.sql', null],
  ])('%s, from tools/deep/a.yml', (path, found) => {
    expect(resolvePath('tools/deep/a.yml', path)).toBe(found);
  });

  // Requirements: endpoint.source, service.2
  it('reads a file, in the encodings of YAML files', async () => {
    const sql = new Uint8Array([0xff, 0xfe, ...[...'SELECT 1'].flatMap((one) => [one.charCodeAt(0), 0])]);
    const { source, findings } = await sourceOf(TOOL('{ file: q.sql }'), { 'tools/deep/q.sql': sql });
    expect(findings).toEqual([]);
    expect(source).toEqual({
      language: 'sql',
      text: 'SELECT 1',
      file: 'tools/deep/q.sql',
      line: 3,
      column: 19,
      verbatim: true,
    });
  });

  it('refuses a file of Python in UTF-16, which Python does not read', async () => {
    const python = new Uint8Array([0xff, 0xfe, ...[...'x = 1'].flatMap((one) => [one.charCodeAt(0), 0])]);
    const { findings } = await sourceOf(TOOL('{ file: q.py }'), { 'tools/deep/q.py': python });
    expect(findings).toEqual([
      '3:19 encoding: `tool.source.file` cannot be used: tools/deep/q.py is UTF-16, which Python does not read. Save the file as UTF-8.',
    ]);
  });

  it.each([
    ['{ code: a, file: b }', '3:11 source: `tool.source` has both `code` and `file`. Keep one of them.'],
    [
      '{}',
      '3:11 source: `tool.source` has neither `code` nor `file`. Write the SQL under `code`, or name its file under `file`.',
    ],
    [
      'SELECT 1',
      '3:11 wrong-type: `tool.source` must be a map, not text. Write `key: value` lines, indented.',
    ],
    ['{ code: "" }', expect.stringMatching(/^3:20 wrong-value: `tool\.source\.code` must not be empty/)],
    [
      '{ file: ../../../etc/passwd }',
      '3:19 source-outside: `tool.source.file` is "../../../etc/passwd", which is outside of the project. Name a file inside the project; a leading / means the project\'s folder.',
    ],
    [
      '{ file: quer.sql }',
      '3:19 source-missing: `tool.source.file` names tools/deep/quer.sql, which does not exist. Did you mean tools/deep/query.sql?',
    ],
    [
      '{ file: other.sql }',
      '3:19 source-missing: `tool.source.file` names tools/deep/other.sql, which does not exist. Create it, or correct the path: it is relative to this YAML file.',
    ],
    [
      '{ file: orders.sql }',
      expect.stringMatching(/^3:19 source-missing: .* Create it, or correct the path/),
    ],
    ['{ file: sql\\q.sql }', expect.stringMatching(/^3:19 source-missing: .* Write \/ between folders\.$/)],
    [
      '{ file: latin.sql }',
      '3:19 encoding: `tool.source.file` cannot be used: tools/deep/latin.sql:2:1: These bytes are not UTF-8. Save the file as UTF-8.',
    ],
    ['{ file: / }', expect.stringMatching(/^3:19 source-missing: .* names the project itself/)],
  ])('%s', async (source, finding) => {
    const tree = {
      'tools/deep/orders.yml': TOOL('{ code: SELECT 1 }').replace('name: a', 'name: orders'),
      'tools/deep/query.sql': 'SELECT 1',
      'tools/deep/latin.sql': new Uint8Array([0x2d, 0x0a, 0xe4]),
    };
    expect((await sourceOf(TOOL(source), tree)).findings).toEqual([finding]);
  });

  // Requirements: command.validate
  it('is looked for even where the rest of the file is wrong', async () => {
    const { findings } = await sourceOf(TOOL('{ file: none.sql }', '  enabled: maybe\n'));
    expect(findings.map((text) => text.slice(0, 20))).toEqual([
      '3:12 wrong-type: `to',
      '4:19 source-missing:',
    ]);
  });

  // Requirements: endpoint.language, service.2
  it('is Python when it says so or its name does, and then a file', async () => {
    const tree = { 'tools/deep/f.py': 'def a(): pass' };
    expect((await sourceOf(TOOL('{ file: f.py }'), tree)).source?.language).toBe('python');
    expect((await sourceOf(TOOL('{ file: f.py, language: python }'), tree)).source?.language).toBe('python');
    expect((await sourceOf(TOOL('{ file: f.py }', '  language: sql\n'), tree)).source?.language).toBe('sql');
    expect((await sourceOf(TOOL('{ code: "pass" }', '  language: python\n'))).findings).toEqual([
      '4:20 source: `tool.source.code` contains Python code, which must be in a file. Move it to a .py file and name that file under `file`.',
    ]);
  });
});
