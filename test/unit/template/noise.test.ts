import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { checkTemplate } from '../../../src/template/check.ts';
import { compileTemplate, renderTemplate } from '../../../src/template/render.ts';
import { cpuMs } from '../cpu.ts';

const PIECES = [
  ...'{}%#[]()|.,:=+-*/~<>!\'"\\ \n\tabxyz019_',
  ...[
    '{{ ',
    ' }}',
    '{% ',
    ' %}',
    '{#',
    '#}',
    '{%-',
    '-%}',
    '{{-',
    '-}}',
    'if x',
    'endif',
    'else',
    'elif x',
    'for a in l',
  ],
  ...[
    'endfor',
    'set a = x',
    'set a',
    'endset',
    'macro m(a, b=1)',
    'endmacro',
    'call m(1)',
    'endcall',
    'filter upper',
  ],
  ...[
    'endfilter',
    'break',
    'continue',
    ' in ',
    ' not ',
    ' and ',
    ' is defined',
    '|join(",")',
    '|upper',
    '|sort',
    'loop',
  ],
  ...[
    '[1:2]',
    '.items()',
    'range(9)',
    'namespace(a=1)',
    'm(1)',
    '**',
    '//',
    'generation',
    'endgeneration',
    '\u{1f600}',
  ],
  ...[
    '\ud800',
    '__proto__',
    '.constructor',
    "'x'",
    '"y"',
    '1.5',
    '{"a": 1}',
    '\\u0041',
    '\\x',
    'none',
    'x if l else a',
  ],
];
const CODES = ['project_invalid', 'internal', 'deadline_exceeded', 'result_too_large'];
const VALUES = { x: 'text', l: [3, 1, 2], a: { b: null }, big: 'b'.repeat(20_000) };

/** A small seeded generator, so that a failure can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function noise(random: () => number): string {
  const length = Math.floor(random() ** 2 * 40) + 1;
  const pieces = Array.from({ length }, () => PIECES[Math.floor(random() * PIECES.length)]);
  return random() < 0.5 ? pieces.join('') : `{{ ${pieces.slice(0, 5).join(' ')} }}`;
}

const ATOMS = [
  'x',
  'l',
  'a',
  'a.b',
  '1',
  '-2',
  '0',
  '1.5',
  "'t'",
  '""',
  '[]',
  '[1, "a"]',
  '({"k": x})',
  'none',
  'true',
  'range(50)',
  'namespace(n=1)',
  'range',
  'l[0]',
  'x[1:]',
  'x.upper',
  'a.items()',
  'big',
  '999999999',
];
const FORMS = [
  '(A + B)',
  '(A - B)',
  '(A * B)',
  '(A / B)',
  '(A % B)',
  '(A ** B)',
  '(A ~ B)',
  '(A == B)',
  '(A < B)',
  '(A in B)',
  '(A and B)',
  '(A if B else A)',
  '(A|join(B))',
  '(A|sort)',
  '(A|default(B))',
  '(A|length)',
  '(A|replace(B, A))',
  '(A|map("upper")|list)',
  '(A|int)',
  '(A|tojson)',
  '(A|indent(B))',
  '(A|first)',
  '(A|selectattr("k"))',
  '(A|unique)',
  '(A|round(B))',
  '(A is odd)',
  '(A is defined)',
  '(A)[B]',
  '(A).k',
  '(A).get(B)',
  'range(A)',
  '(not A)',
  '[A, B]',
  '({"k": A})',
  '(A)[B:]',
];

/** A grammatical expression of a depth. */
function expression(random: () => number, depth: number): string {
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? '';
  if (depth === 0 || random() < 0.2) return pick(ATOMS);
  return pick(FORMS).replace(/[AB]/g, () => expression(random, depth - 1));
}

function statement(random: () => number): string {
  const pieces = [
    '{{ A }}',
    '{% if A %}{{ i }}{% else %}{% break %}{% endif %}',
    '{% set y = A %}{{ y }}',
    '{{ loop.index }}',
  ];
  const piece = pieces[Math.floor(random() * pieces.length)] ?? '';
  return piece.replace('A', () => expression(random, 2));
}

/** What rendering gives: a text, or the code of an error. */
function outcomeOf(text: string): { text: string } | { code: string } {
  try {
    return { text: renderTemplate(compileTemplate(text), VALUES) };
  } catch (thrown) {
    if (thrown instanceof SvcError) return { code: thrown.code };
    throw thrown;
  }
}

describe('noise as a template', () => {
  it('is a finding, a text or a stable error, and never a crash or a hang', () => {
    const random = createRandom(20_260_131);
    const counts = { finding: 0, text: 0 };
    for (let round = 0; round < 1500; round += 1) {
      const text = noise(random);
      const start = cpuMs();
      const problems = checkTemplate(text, Object.keys(VALUES));
      const outcome = outcomeOf(text);
      expect(cpuMs() - start, text).toBeLessThan(10_000);
      if ('code' in outcome) expect(CODES, text).toContain(outcome.code);
      if ('code' in outcome && outcome.code === 'project_invalid') expect(problems, text).toHaveLength(1);
      for (const { offset = 0 } of problems) expect(offset, text).toBeLessThan(Math.max(1, text.length));
      if (problems.length > 0) counts.finding += 1;
      else if ('text' in outcome) counts.text += 1;
    }
    expect(counts.finding).toBeGreaterThan(300);
    expect(counts.text).toBeGreaterThan(50);
  });

  it('that is grammatical renders to a text or to a stable error', () => {
    const random = createRandom(99);
    const codes = new Set<string>();
    for (let round = 0; round < 1500; round += 1) {
      const text = `{% for i in ${expression(random, 2)} %}${statement(random)}{% endfor %}{{ ${expression(random, 4)} }}`;
      expect(checkTemplate(text, Object.keys(VALUES)), text).toEqual([]);
      const start = cpuMs();
      const outcome = outcomeOf(text);
      expect(cpuMs() - start, text).toBeLessThan(10_000);
      codes.add('code' in outcome ? outcome.code : 'text');
    }
    expect([...codes].sort()).toEqual(['deadline_exceeded', 'internal', 'result_too_large', 'text']);
  });

  it('as values is shown as it is', () => {
    const random = createRandom(5);
    for (let round = 0; round < 1000; round += 1) {
      const value = noise(random);
      expect(renderTemplate(compileTemplate('{{ v }}'), { v: value })).toBe(value);
    }
  });
});
