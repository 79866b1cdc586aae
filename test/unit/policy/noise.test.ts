import { describe, expect, it } from 'vitest';
import { checkPolicies } from '../../../src/policy/checks/check.ts';
import type { Parameter } from '../../../src/types/node.ts';
import { cpuMs } from '../cpu.ts';
import { ALICE, decide, deny, edit, filter, policies, scope } from './fixtures.ts';

const PARAMETERS: readonly Parameter[] = [
  { name: 'a', type: 'integer' },
  { name: 's', type: 'string' },
  { name: 'l', type: 'array', items: { type: 'integer' } },
];
const ARGS = { a: 3, s: 'text', l: [1, 2, 3] };
const PIECES = [
  ...'()[]{}.,:?!<>=+-*/%&|@#`\\"\' \n\t;$~^0123456789abcxyz_',
  ...[
    'user',
    '.email',
    '.claims',
    'a',
    's',
    'l',
    'response',
    'now()',
    'true',
    'false',
    'null',
    '&&',
    '||',
    '==',
  ],
  ...[
    '!=',
    '<=',
    ' in ',
    '.all(',
    '.map(',
    '.filter(',
    'i, ',
    'has(',
    'size(',
    'matches(',
    "'x'",
    '""',
    'timestamp(',
  ],
  ...[
    '1.5',
    '0x1F',
    '1u',
    'b"\\x00"',
    'r"("',
    '"\\u0000"',
    '\ud800',
    '\u{1f600}',
    '__proto__',
    'constructor',
    'é',
  ],
  ...['9223372036854775808', '1e999', '{"k": 1}', '[1, 2]', 'google.protobuf.Any', '?', '// note\n', '.0'],
];

/** A small seeded generator, so that a failure can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function noise(random: () => number): string {
  const length = Math.floor(random() ** 3 * 60) + 1;
  return Array.from({ length }, () => PIECES[Math.floor(random() * PIECES.length)]).join('');
}

describe('noise as policy text', () => {
  it('is a finding or a program, and never a crash or a hang', () => {
    const random = createRandom(20_260_131);
    let findings = 0;
    let programs = 0;
    for (let round = 0; round < 1500; round += 1) {
      const text = noise(random);
      const start = cpuMs();
      const problems = checkPolicies(policies({ input: [deny(text)] }), scope(PARAMETERS));
      const decision = decide([deny(text)], { args: ARGS, parameters: PARAMETERS, user: ALICE });
      expect(cpuMs() - start, text).toBeLessThan(10_000);
      if (problems.length > 0) findings += 1;
      else programs += 1;
      for (const { message, fix } of problems) expect(message && fix, text).toBeTruthy();
      expect(['allow', 'deny'], text).toContain(decision.outcome);
      expect(decision.failure === null || decision.outcome === 'deny', text).toBe(true);
    }
    expect(findings).toBeGreaterThan(500);
    expect(programs).toBeGreaterThan(5);
  });

  it('from changed rules that were right is not either', () => {
    const random = createRandom(7);
    const rules = [
      "!user.email.endsWith('@acme.com') && l.all(i, i > 0)",
      "user.role in ['a', 'b'] ? a > 3 : s.matches('^[a-z]+$')",
      "now() - timestamp('2026-01-01T00:00:00Z') > duration('1h') || has(user.name)",
    ];
    for (let round = 0; round < 1000; round += 1) {
      const rule = rules[round % rules.length] ?? '';
      const at = Math.floor(random() * rule.length);
      const text = rule.slice(0, at) + (random() < 0.5 ? noise(random).slice(0, 3) : '') + rule.slice(at + 1);
      checkPolicies(policies({ input: [deny(text)] }), scope(PARAMETERS));
      const decision = decide([deny(text)], { args: ARGS, parameters: PARAMETERS, user: null });
      expect(['allow', 'deny'], text).toContain(decision.outcome);
    }
  });

  it('as field names edits nothing it should not', () => {
    const random = createRandom(11);
    const value = { a: 1, b: [{ c: 2 }], 'd.e': { f: null } };
    for (let round = 0; round < 1000; round += 1) {
      const field = noise(random);
      const before = structuredClone(value);
      const { value: edited } = edit([filter('true', field)], value);
      expect(value).toEqual(before);
      expect(JSON.stringify(edited).length).toBeLessThanOrEqual(JSON.stringify(value).length);
    }
  });
});
