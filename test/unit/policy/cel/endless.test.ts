import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../cpu.ts';
import { decide, deny } from '../fixtures.ts';

const REASON = 'Access denied: a policy could not be evaluated.';

describe('conditions that would take for ever', () => {
  const list = Array.from({ length: 10_000 }, (_, index) => ({ n: index, s: `x${index}` }));
  const cost = (condition: string, args: Parameters<typeof decide>[1]) => {
    const start = cpuMs();
    const decision = decide([deny(condition)], args);
    return { decision, ms: cpuMs() - start };
  };

  it.each([
    ['a loop in a loop', 'list.exists(a, list.exists(b, a.n + b.n < 0))'],
    ['a search in a loop', 'list.exists(a, a.s in list)'],
    ['a search for objects in a loop', 'list.exists(a, {"n": a.n, "s": 1} in list)'],
    ['a text search in a loop', 'list.exists(a, text.contains(a.s))'],
    ['a pattern in a loop', "list.exists(a, text.matches('(a+)+[$]'))"],
    ['a pattern without a text in it', "list.exists(a, text.matches('[a-z]+[0-9]$'))"],
    ['a pattern with a great count', "text.matches('[a-z]{1,1000}$')"],
    ['a pattern with counts in counts', "text.matches('(?:[a-z]{10}|[0-9]){1,90}$')"],
    ['the size of a text in a loop', 'list.all(a, size(text) > 0)'],
    ['a time zone in loops', "list.all(a, list.all(b, now().getHours('Europe/Berlin') >= 0))"],
    ['texts that grow', "list.map(a, text + a.s).all(t, t != '')"],
  ])('are stopped and deny: %s', (_, condition) => {
    const args = { list, text: 'y'.repeat(500_000) };
    const { decision, ms } = cost(condition, { args });
    expect(decision).toMatchObject({ outcome: 'deny', reason: REASON });
    expect(decision.failure).toMatch(/too many steps/);
    expect(ms).toBeLessThan(20_000);
  });

  it('are not hit by honest rules over 10,000 rows', () => {
    const condition =
      "list.filter(a, a.n >= 0).map(a, a.s).exists(s, s == 'x9999') && list.all(a, a.s.matches('^x[0-9]+$'))";
    const { decision, ms } = cost(condition, { args: { list } });
    expect(decision.failure).toBeNull();
    expect(decision.outcome).toBe('deny');
    expect(ms).toBeLessThan(20_000);
  });

  it('are no danger by their pattern', () => {
    const args = { text: `${'a'.repeat(50_000)}!` };
    for (const pattern of ['^(a+)+$', '^(a|aa)*$', '(a*)*b', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      const { decision, ms } = cost(`text.matches('${pattern}')`, { args });
      expect(decision.failure).toBeNull();
      expect(ms).toBeLessThan(10_000);
    }
  });
});
