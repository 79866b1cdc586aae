import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { forTerminal, toColumns } from '../../../../cli/io/output.ts';

it('aligns all but the last column, without counting colours', () => {
  const rows = [['a', '\u001b[1mbbb\u001b[22m', 'c'], ['aa', 'b', 'cc'], ['x']];
  expect(toColumns(rows, '  ')).toBe('  a   \u001b[1mbbb\u001b[22m  c\n  aa  b    cc\n  x');
});

it('takes as many rows as there are', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [String(index), 'x']);
  expect(toColumns(rows).endsWith('\n199999  x')).toBe(true);
});

describe('a table that is wider than the terminal', () => {
  const rows = [
    ['tools/a.yml:3:5', 'error', 'The parameter id has no description, so a model has to guess its meaning.'],
    ['', '', 'fix: Add `description`.'],
  ];
  const long = [...rows, ['x'.repeat(200), 'y'.repeat(90), '\u001b[2mone two three four\u001b[22m']];

  it.each([
    [80, rows],
    [140, rows],
    [80, long],
    [140, long],
    [40, rows],
  ])('fits %d columns and loses no word', (width, table) => {
    const text = stripVTControlCharacters(toColumns(table, '', width));
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    const glued = text.replaceAll(/\s/g, '');
    for (const word of table.flat().join(' ').split(' ')) {
      if (word.length < 10) expect(glued).toContain(stripVTControlCharacters(word));
    }
  });

  it('wraps by word in its column, and continues a colour', () => {
    expect(
      toColumns(
        [
          ['a', 'one two three four'],
          ['b', 'five'],
        ],
        '',
        16,
      ),
    ).toBe('a  one two three\n   four\nb  five');
    const coloured = toColumns([['a', '\u001b[1mone two three\u001b[22m']], '', 15);
    expect(coloured).toBe('a  \u001b[1mone two\u001b[0m\n   \u001b[1mthree\u001b[22m');
    expect(forTerminal(coloured)).toBe(coloured);
  });

  it('breaks a long name behind a mark, and keeps the indent of a cell', () => {
    expect(
      toColumns(
        [
          ['tool/product_picture', 'deny'],
          ['  one two three', 'x'],
        ],
        '',
        18,
      ),
    ).toBe('tool/         deny\nproduct_\npicture\n  one two     x\n  three');
  });

  it('wraps nothing without a terminal, and passes lines of no column on', () => {
    expect(toColumns(rows).split('\n')).toHaveLength(2);
    expect(toColumns([['a', 'b'], '  > 1 | code', ['aaa', 'c']])).toBe('a    b\n  > 1 | code\naaa  c');
  });
});
