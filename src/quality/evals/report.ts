import type { JsonObject, JsonValue } from '../../json.ts';
import { addUsage } from './converse.ts';
import type { Usage } from './model.ts';

/** A redacted call in reports and transcripts. */
export type CallReport = {
  readonly turn: number;
  readonly tool: string;
  readonly args: JsonValue;
  readonly status: 'success' | 'denied' | 'error';
  readonly error?: string;
  readonly result?: JsonValue;
  readonly time_ms: number;
};

/** The cost of a model's tokens, at the prices in the user file. */
export type Cost = { readonly amount: number; readonly currency: string };

/** The result of one test; `error` means that a request to the model failed. */
export type EvalResult = {
  readonly name: string;
  readonly description?: string;
  readonly status: 'passed' | 'failed' | 'error';
  readonly failures: readonly string[];
  readonly error?: string;
  readonly answer: string;
  readonly calls: readonly CallReport[];
  readonly turns: number;
  readonly usage: Usage;
  /** Absent if the model has no prices. */
  readonly cost?: Cost;
  readonly time_ms: number;
  /** The file of the whole conversation, if one was written. */
  readonly transcript?: string;
};

/** The result of one suite; `error` is the reason why its tests could not run. */
export type SuiteReport = {
  readonly suite: string;
  /** The suite's file, relative to the project's root. */
  readonly path: string;
  readonly description?: string;
  readonly model?: string;
  readonly status: 'passed' | 'failed' | 'error';
  readonly error?: string;
  readonly tests: readonly EvalResult[];
  readonly usage: Usage;
  readonly cost?: Cost;
  readonly time_ms: number;
};

/** The report of `svc evals`. */
export type EvalsReport = {
  readonly status: 'ok' | 'failed' | 'error';
  readonly tests_run: number;
  readonly suites: readonly SuiteReport[];
  readonly usage: Usage;
  readonly cost?: Cost;
};

/** A whole redacted conversation, for the analysis of a result. */
export type Transcript = {
  readonly suite: string;
  readonly test: string;
  readonly model: string;
  readonly system?: string;
  readonly prompt: string;
  readonly user_context?: JsonObject;
  /** The model's text in each turn, followed by the calls of that turn. */
  readonly turns: readonly { readonly said: string; readonly calls: readonly CallReport[] }[];
  readonly result: EvalResult;
};

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
