import type { JsonObject } from '../../json.ts';
import type { Positions } from '../../project/yaml/position.ts';

/** A call that a conversation must contain. The actual call may have further arguments. */
export interface ExpectedCall {
  /** A tool's name, or a resource's URI or name. */
  readonly tool: string;
  readonly args: JsonObject;
}

/** The assertions about a conversation. All of them must hold. */
export interface EvalAssertions {
  readonly mustCall: readonly ExpectedCall[];
  readonly mustNotCall: readonly string[];
  readonly mustCallInOrder: readonly string[];
  readonly maxCalls: number | null;
  readonly answerContains: readonly string[];
  readonly answerNotContains: readonly string[];
  /** Regular expressions. */
  readonly answerMatches: readonly string[];
}

/** One question to a model, with its assertions. */
export interface EvalTest {
  readonly name: string;
  readonly description: string | null;
  readonly prompt: string;
  /** The user on whose behalf the model calls. */
  readonly userContext: JsonObject | null;
  readonly assertions: EvalAssertions;
}

/** Limits of each conversation of a suite. */
export interface EvalLimits {
  /** The most requests to the model. */
  readonly turns: number;
  /** The most bytes of one result that the model receives. */
  readonly resultBytes: number;
  /** The most tokens of one answer. */
  readonly tokens: number;
}

/** The questions of one file below `evals/`. */
export interface Suite {
  readonly name: string;
  readonly description: string | null;
  /** A name under `models` of the user file; null selects the default model. */
  readonly model: string | null;
  /** Instructions that precede every question. */
  readonly system: string | null;
  /** Names of the tools and resources that the model sees; null offers all. */
  readonly offer: readonly string[] | null;
  readonly limits: EvalLimits;
  readonly tests: readonly EvalTest[];
}

/** A file below `evals/`; `suite` is null if it has errors. */
export interface SuiteFile {
  /** Relative to the project's root. */
  readonly file: string;
  readonly suite: Suite | null;
  readonly positions: Positions;
}
