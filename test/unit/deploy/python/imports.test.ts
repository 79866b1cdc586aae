import { expect, test } from 'vitest';
import { importsOf, usesOf } from '../../../../deploy/python/imports.ts';
import { cpuMs } from '../../cpu.ts';

const modules = (source: string) => importsOf(source).map(({ module }) => module);

test('every form of import is found, at its place', () => {
  const source = [
    'import os',
    'import a.b as c, d',
    'from x.y import (',
    '    one,',
    '    two as three,',
    ')',
    'if True: import inline; import second',
    'def f():',
    '    from . import near',
    '    from ..up import far',
  ].join('\n');
  expect(importsOf(source).map(({ module, line, column }) => [module, line, column])).toEqual([
    ['os', 1, 1],
    ['a.b', 2, 1],
    ['d', 2, 1],
    ['x.y', 3, 1],
    ['inline', 7, 10],
    ['second', 7, 25],
    ['.', 9, 5],
    ['..up', 10, 5],
  ]);
  expect(importsOf(source)[3]?.names).toEqual(['one', 'two']);
});

test('texts and comments import nothing', () => {
  const source = `"""
import docs
"""
# import comment
text = 'import single'; other = "it\\'s \\" import"
raw = r'''
import raw
'''
import real # import again`;
  expect(modules(source)).toEqual(['real']);
});

test('what only type checkers read is no import, and one in a try need not work', () => {
  const source = `
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import pandas
try:
    import numpy
except ImportError:
    numpy = None
try: import orjson
except ImportError: import json
import last`;
  expect(importsOf(source).map(({ module, guarded }) => [module, guarded])).toEqual([
    ['typing', false],
    ['numpy', true],
    ['orjson', true],
    ['json', false],
    ['last', false],
  ]);
});

test('a file of many thousand quotes is read in little time', () => {
  const noise = `${'"'.repeat(20_001)}\n${"'''".repeat(9_999)}\n${'import ('.repeat(5_000)}`;
  const start = cpuMs();
  importsOf(noise);
  expect(cpuMs() - start).toBeLessThan(5_000);
});

test('uses are found in code alone', () => {
  const source = `import os\n# os.system("x")\nos.system("ls")\ntext = "os.system('no')"`;
  expect(usesOf(source, [['runs', /os\.system\(/g]])).toEqual([{ what: 'runs', line: 3, column: 1 }]);
});
