import { expect, it } from 'vitest';
import { toEvalsText } from '../../../../cli/commands/evals.ts';

it('speaks of prices only where tokens were used', () => {
  const rowFor = (input_tokens: number) => {
    const usage = { input_tokens, output_tokens: 0 };
    const suite = { suite: 's', path: 'evals/s.yml', status: 'error', tests: [], usage, time_ms: 1 } as const;
    const text = toEvalsText({ status: 'error', tests_run: 0, suites: [suite], usage }, 1);
    return text.match(/^s +-.*$/m)?.[0];
  };
  expect(rowFor(0)).toMatch(/ -$/);
  expect(rowFor(7)).toMatch(/ no prices$/);
});
