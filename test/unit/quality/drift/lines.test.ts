import { describe, expect, it } from 'vitest';
import { toLineDiff } from '../../../../src/quality/drift/lines.ts';
import { compareCode, isSameSql, toCode } from '../../../../src/quality/drift/source.ts';

describe('lines that differ', () => {
  it('are shown with those around them, and a mark for those left out', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const after = ['a', 'b', 'c', 'd', 'e', 'x', 'y', 'g', 'h'];
    expect(toLineDiff(before.join('\n'), after.join('\n'))).toEqual([
      '  d',
      '  e',
      '- f',
      '+ x',
      '+ y',
      '  g',
      '  h',
    ]);
    expect(toLineDiff('a\nb', 'a\nb\nc')).toEqual(['  a', '  b', '+ c']);
    expect(toLineDiff('a\nb\nc', 'c')).toEqual(['- a', '- b', '  c']);
    const far = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
    const ends = ['x', '2', '3', '4', '5', '6', '7', '8', 'y'];
    expect(toLineDiff(far.join('\n'), ends.join('\n'))).toContain('  …');
  });
});

describe('code', () => {
  const classOf = (before: string, after: string, language: string) =>
    compareCode('source', toCode(before), toCode(after), language)[0]?.class;

  it.each([
    ['SELECT 1', 'SELECT  1 ; -- one', true],
    ['SELECT/*x*/a', 'SELECT a', true],
    ['SELECT a', 'SELECTa', false],
    ["SELECT ' '", "SELECT ''", false],
    ["SELECT '--x'", "SELECT '--y'", false],
    ['SELECT a AS b', 'SELECT a AS B', false],
  ])('of SQL says the same or not: %s, %s', (before, after, same) => {
    expect(isSameSql(before, after)).toBe(same);
  });

  it('of Python is another when more than comments and empty lines differ', () => {
    expect(classOf('def f():\n  return 1', '# one\ndef f():\n\n  return 1  ', 'python')).toBe('wording');
    expect(classOf('def f():\n  return 1', 'def f():\n  return 2', 'python')).toBe('breaking');
    expect(classOf('x = """\na\n"""', 'x = """\n\na\n"""', 'python')).toBe('breaking');
    expect(classOf('if a:\n  b()', 'if a:\n    b()', 'python')).toBe('breaking');
    expect(classOf('a\r\nb\n', 'a\nb', 'python')).toBeUndefined();
  });
});
