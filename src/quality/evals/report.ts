import type { JsonObject, JsonValue } from '../../json.ts';
import type { Usage } from './model.ts';

/** A call as reports and transcripts show it, redacted. */
export type CallReport = {
  readonly turn: number;
  readonly tool: string;
  readonly args: JsonValue;
  readonly status: 'success' | 'denied' | 'error';
  readonly error?: string;
  readonly result?: JsonValue;
  readonly time_ms: number;
};

/** What a model cost, as the user file prices it. */
export type Cost = { readonly amount: number; readonly currency: string };

/** How one test ended: `error` where the model could not be asked. */
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
  /** Absent where the model has no prices. */
  readonly cost?: Cost;
  readonly time_ms: number;
  /** File of the whole conversation, where one was written. */
  readonly transcript?: string;
};

/** How one suite ended; `error` says why its tests could not run. */
export type SuiteReport = {
  readonly suite: string;
  /** Of the file, relative to the project's root. */
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

/** What `svc evals` found. */
export type EvalsReport = {
  readonly status: 'ok' | 'failed' | 'error';
  readonly tests_run: number;
  readonly suites: readonly SuiteReport[];
  readonly usage: Usage;
  readonly cost?: Cost;
};

/** A whole conversation, redacted, for people who want to know why. */
export type Transcript = {
  readonly suite: string;
  readonly test: string;
  readonly model: string;
  readonly system?: string;
  readonly prompt: string;
  readonly user_context?: JsonObject;
  /** What the model said in each turn; the calls of a turn follow it. */
  readonly turns: readonly { readonly said: string; readonly calls: readonly CallReport[] }[];
  readonly result: EvalResult;
};
