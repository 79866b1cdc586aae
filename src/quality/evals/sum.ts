import { addUsage } from './converse.ts';
import type { Usage } from './model.ts';
import type { Cost, EvalResult, EvalsReport, SuiteReport } from './report.ts';

/** Prices of a million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly currency: string;
}

const NOTHING: Usage = { input_tokens: 0, output_tokens: 0 };

/** The cost of a usage; null without prices. */
export function costOf({ input_tokens, output_tokens }: Usage, prices: Prices | null): Cost | null {
  if (prices === null) return null;
  const amount = (input_tokens * prices.input + output_tokens * prices.output) / 1_000_000;
  return { amount: Number(amount.toFixed(6)), currency: prices.currency };
}

type Sums = Pick<SuiteReport, 'usage' | 'cost'>;

/** Adds up results. There is no cost if a part has none or another currency. */
export function sumOf(parts: readonly Sums[]): Sums {
  const usage = parts.reduce((sum, part) => addUsage(sum, part.usage), NOTHING);
  const costs = parts.filter((part) => part.usage.input_tokens + part.usage.output_tokens > 0);
  const [first] = costs;
  const known = first?.cost && costs.every(({ cost }) => cost?.currency === first.cost?.currency);
  if (!first?.cost || !known) return { usage };
  const amount = costs.reduce((sum, { cost }) => sum + (cost?.amount ?? 0), 0);
  return { usage, cost: { amount: Number(amount.toFixed(6)), currency: first.cost.currency } };
}

/** The worst of several results. An error is worse than a failure. */
export function worstOf(statuses: readonly EvalResult['status'][]): EvalResult['status'] {
  if (statuses.includes('error')) return 'error';
  return statuses.includes('failed') ? 'failed' : 'passed';
}

/** Combines all suites to one report. */
export function toEvalsReport(suites: readonly SuiteReport[]): EvalsReport {
  const worst = worstOf(suites.map(({ status }) => status));
  return {
    status: worst === 'passed' ? 'ok' : worst,
    tests_run: suites.reduce((sum, { tests }) => sum + tests.length, 0),
    suites,
    ...sumOf(suites),
  };
}
