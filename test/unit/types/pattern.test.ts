import { describe, expect, it } from 'vitest';
import { exampleText } from '../../../src/types/example.ts';
import { compilePattern, createPatternWork, type Pattern } from '../../../src/types/pattern.ts';
import { PatternRejection } from '../../../src/types/pattern-tree.ts';
import { cpuMs } from '../cpu.ts';
import { createRandom, type Random } from './random.ts';

function compiled(source: string): Pattern {
  const pattern = compilePattern(source);
  if (pattern instanceof PatternRejection) throw new Error(`${source} ${pattern.message}`);
  return pattern;
}

const refusal = (source: string): string => {
  const pattern = compilePattern(source);
  return pattern instanceof PatternRejection ? pattern.message : '';
};

describe('patterns answer as JavaScript does', () => {
  const texts = [
    '',
    'a',
    'abc',
    'ABC',
    'ab12',
    '2024-01-02',
    'a_b c',
    'é',
    '😀',
    '\n',
    'a\nb',
    'foo.bar@x.ch',
    '\ud800',
  ];
  it.each([
    '',
    '^$',
    '^[A-Z]{3}$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    'a|b|',
    '^(?:a|ab)(c|bcd)?$',
    '(a*)*$',
    '(a|a)*b',
    '^(?<year>\\d+)',
    '\\bfoo\\b',
    '\\B',
    '.',
    '^.$',
    '[^a-z]',
    '[\\]\\-x]',
    '\\u{1F600}',
    '\\ud83d\\ude00',
    '[\\u{1F600}-\\u{1F64F}]',
    '\\p{L}+',
    '\\P{Lu}',
    '\\x41\\u0042\\cJ?',
    'a{2}|b{1,}|c{0,2}d',
    'a{0}',
    'x*?y+?z??',
    '^\\S+@\\S+\\.\\S+$',
    '[^]',
    '[]',
    '\\/\\.\\$\\^\\(\\)\\[\\]\\{\\}\\|\\\\',
    '$a',
    '^^a$$',
    '\\0',
  ])('%s', (source) => {
    const [ours, native] = [compiled(source), new RegExp(source, 'u')];
    for (const text of texts) expect([text, ours.test(text)]).toEqual([text, native.test(text)]);
  });

  it('on random patterns and texts', () => {
    const random = createRandom(7);
    for (let round = 0; round < 3000; round += 1) {
      const source = randomPattern(random, 3);
      const [ours, native] = [compiled(source), new RegExp(source, 'u')];
      const work = createPatternWork();
      for (let count = 0; count < 8; count += 1) {
        // V8 lets \\B match inside a surrogate pair, contrary to the standard.
        const letters = [...(source.includes('\\B') ? 'aabbc1 _\n' : 'aabbc1 _\n😀')];
        const text = random.list(8, () => random.pick(letters)).join('');
        expect([source, text, ours.test(text, work)]).toEqual([source, text, native.test(text)]);
      }
    }
  });
});

describe('a pattern without a linear-time test is refused when the project loads', () => {
  it.each([
    ['(?=a)b', 'ahead or behind'],
    ['ab(?!a)b', 'looks ahead or behind at character 3'],
    ['(?<=a)b', 'ahead or behind'],
    ['(?<!a)b', 'ahead or behind'],
    ['(a)\\1', 'refers back to a group at character 4'],
    ['(?<x>a)\\k<x>', 'refers back'],
    ['(?i:a)', 'flags'],
    ['(', 'not a regular expression'],
    ['a\\-b', 'not a regular expression'],
    ['[z-a]', 'not a regular expression'],
    ['((a{100}){100}){100}', 'too large'],
    ['((((){1000}){1000}){1000}){1000}', 'too large'],
    ['(a?){3000}', 'too large'],
    [`${'('.repeat(200)}a${')'.repeat(200)}`, 'nests groups'],
    ['a'.repeat(1001), 'longer than 1000'],
  ])('%s', (source, reason) => {
    expect(refusal(source)).toContain(reason);
  });
});

describe('no text makes a pattern slow', () => {
  it.each([
    ['^(a+)+$', 'a'],
    ['^(a|a)*$', 'a'],
    ['^(a|aa)+$', 'a'],
    ['(.*)*x', 'a'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
    ['(a?){100}a{100}', 'a'],
    ['\\s+$', ' '],
    ['^(\\w+\\s?)*$', 'word '],
    [
      '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
      'a',
    ],
    ['((a{1,10}){1,10}){1,8}b', 'a'],
  ])('%s', (source, unit) => {
    const pattern = compiled(source);
    const text = `${unit.repeat(1_000_000 / unit.length)}!`;
    const start = cpuMs();
    pattern.test(text);
    expect(cpuMs() - start).toBeLessThan(5_000);
  });

  it('a text of which each character leads to a new state is not read to its end', () => {
    const random = createRandom(3);
    const text = Array.from({ length: 100_000 }, () => random.pick(['a', 'b'])).join('');
    const start = cpuMs();
    expect(compiled('a[ab]{100}c').test(text)).toBeNull();
    expect(cpuMs() - start).toBeLessThan(5_000);
    expect(compiled('^[ab]+$').test(text)).toBe(true);
    expect(compiled('[ab]{1,100}c').test(text)).toBe(false);
  });

  it('the texts of a validation share the work', () => {
    const random = createRandom(3);
    const pattern = compiled('a[ab]{100}c');
    const work = createPatternWork();
    const texts = random.list(60, () =>
      Array.from({ length: 1_000 }, () => random.pick(['a', 'b'])).join(''),
    );
    const found = texts.map((text) => pattern.test(text, work));
    expect([found[0], found.at(-1)]).toEqual([false, null]);
    expect(pattern.test(texts[0] ?? '', work)).toBe(false);
    expect(pattern.test(texts.at(-1) ?? '')).toBe(false);
  });
});

it('never throws on noise', () => {
  const random = createRandom(11);
  for (let round = 0; round < 5000; round += 1) {
    const source = random.list(12, () => random.pick([...'ab()[]{}|*+?^$\\.,-:<>=!1d😀pu'])).join('');
    const pattern = compilePattern(source);
    if (!(pattern instanceof PatternRejection)) pattern.test('aab1-😀');
  }
});

it('gives a text that matches, where one is easy to find', () => {
  expect(exampleText(compiled('^[A-Z]{3}-\\d+$').tree)).toBe('AAA-0');
  expect(exampleText(compiled('^(GET|POST) /\\w+$').tree)).toBe('GET /a');
  expect(exampleText(compiled('[]').tree)).toBeNull();
});

function randomPattern(random: Random, depth: number): string {
  const atom = (): string => {
    const kind = random.below(depth > 0 ? 10 : 7);
    if (kind < 4) return random.pick(['a', 'b', 'c', '1']);
    if (kind === 4) return random.pick(['.', '\\w', '\\d', '\\s', '[ab]', '[^a]', '\\u{1F600}', '[\\w-]']);
    if (kind === 5) return random.pick(['^', '$', '\\b', '\\B']);
    if (kind === 6) return '_';
    return `(${random.pick(['', '?:'])}${randomPattern(random, depth - 1)})`;
  };
  const term = (): string => {
    const text = atom();
    const quantifiers = /^(\^|\$|\\b|\\B)$/i.test(text)
      ? ['']
      : ['', '', '*', '+', '?', '{2}', '{1,3}', '{0,}', '*?'];
    return text + random.pick(quantifiers);
  };
  const sequence = () => random.list(4, term).join('');
  return [sequence(), ...random.list(1, sequence)].join('|');
}
