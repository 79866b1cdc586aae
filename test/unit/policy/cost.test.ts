import { describe, expect, it } from 'vitest';
import { compilePolicies } from '../../../src/policy/compile.ts';
import { enforceInput, enforceOutput } from '../../../src/policy/enforce.ts';
import type { TypeNode } from '../../../src/types/node.ts';
import { cpuMs } from '../cpu.ts';
import { ALICE, CLOCK, deny, mask, policies, scope } from './fixtures.ts';

const PARAMETERS = [{ name: 'region', type: 'string' }] as const;

/** Milliseconds of this thread for so many runs, after a warm-up. */
function time(runs: number, run: () => void): number {
  for (let index = 0; index < runs / 10; index += 1) run();
  const start = cpuMs();
  for (let index = 0; index < runs; index += 1) run();
  return cpuMs() - start;
}

/** The fastest of five: a neighbour's load is not a cost of ours. */
function best(measure: () => number): number {
  return Math.min(...Array.from({ length: 5 }, measure));
}

describe('the cost of policies', () => {
  it('is small: 10,000 calls with two input rules', () => {
    const rules = [
      deny("user.role != 'analyst' || region == 'us'"),
      deny("!user.email.endsWith('@acme.com')"),
    ];
    const program = compilePolicies(policies({ input: rules }), scope(PARAMETERS));
    const ms = time(10_000, () => {
      if (enforceInput(program, { region: 'eu' }, ALICE, CLOCK).outcome !== 'allow')
        throw new Error('denied');
    });
    console.log(`10,000 calls with two input rules: ${ms.toFixed(0)} ms`);
    expect(ms).toBeLessThan(10_000);
  });

  it('does not depend on the size of a result that no condition reads', () => {
    const returns: TypeNode = { type: 'array', items: { type: 'object' } };
    const rules = [deny("user.role != 'analyst'"), mask("user.role == 'admin'", 'name')];
    const program = compilePolicies(policies({ output: rules }), scope([], returns));
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `n${id}` }));
    const few = rows.slice(0, 1);
    const one = () => time(100, () => enforceOutput(program, few, ALICE, CLOCK));
    const all = () => time(100, () => enforceOutput(program, rows, ALICE, CLOCK));
    expect(best(all)).toBeLessThan(best(one) * 20 + 20);
  });

  it('is paid for compiling once', () => {
    const own = policies({ input: [deny("user.role != 'a'")] });
    expect(compilePolicies(own, scope())).toBe(compilePolicies(own, scope()));
  });

  it('of compiling is small enough for 500 endpoints', () => {
    const ms = time(500, () => compilePolicies(policies({ input: [deny("user.role != 'a'")] }), scope()));
    console.log(`compiling the policies of 500 endpoints: ${ms.toFixed(0)} ms`);
    expect(ms).toBeLessThan(10_000);
  });
});
