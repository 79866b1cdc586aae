import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { templateProblems } from '../../../src/template/problems.ts';
import { compileTemplate, renderTemplate } from '../../../src/template/render.ts';

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
const VALUES = { x: 'text', l: [3, 1, 2], a: { b: null } };

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
    const counts = { finding: 0, text: 0, error: 0 };
    for (let round = 0; round < 4000; round += 1) {
      const text = noise(random);
      const start = performance.now();
      const problems = templateProblems(text, Object.keys(VALUES));
      const outcome = outcomeOf(text);
      expect(performance.now() - start, text).toBeLessThan(1000);
      if ('code' in outcome) expect(['project_invalid', 'internal'], text).toContain(outcome.code);
      if ('code' in outcome && outcome.code === 'project_invalid') expect(problems, text).toHaveLength(1);
      for (const { offset = 0 } of problems) expect(offset, text).toBeLessThan(Math.max(1, text.length));
      counts[problems.length > 0 ? 'finding' : 'text' in outcome ? 'text' : 'error'] += 1;
    }
    expect(counts.finding).toBeGreaterThan(1000);
    expect(counts.text).toBeGreaterThan(300);
    expect(counts.error).toBeGreaterThan(0);
  });

  it('as values is shown as it is', () => {
    const random = createRandom(5);
    for (let round = 0; round < 2000; round += 1) {
      const value = noise(random);
      expect(renderTemplate(compileTemplate('{{ v }}'), { v: value })).toBe(value);
    }
  });
});
