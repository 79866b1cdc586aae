import type { JsonObject } from '../../json.ts';
import type { Positions } from '../../project/yaml/position.ts';

/** A call that must be among those of a conversation; its arguments may be more. */
export interface ExpectedCall {
  /** A tool's name, or a resource's URI or name. */
  readonly tool: string;
  readonly args: JsonObject;
}

/** What must hold of a conversation; all of it. */
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

/** One question to a model, and what must come of it. */
export interface EvalTest {
  readonly name: string;
  readonly description: string | null;
  readonly prompt: string;
  /** Who the model calls for. */
  readonly userContext: JsonObject | null;
  readonly assertions: EvalAssertions;
}

/** Bounds of each conversation of a suite. */
export interface EvalLimits {
  /** How often the model is asked. */
  readonly turns: number;
  /** Bytes of one result that the model gets to read. */
  readonly resultBytes: number;
  /** Tokens of one answer. */
  readonly tokens: number;
}

/** The questions of one file below `evals/`. */
export interface Suite {
  readonly name: string;
  readonly description: string | null;
  /** A name under `models` of the user file; null: the default model. */
  readonly model: string | null;
  /** Instructions to the model before every question. */
  readonly system: string | null;
  /** Tools and resources that models see, by their names; null: all of them. */
  readonly offer: readonly string[] | null;
  readonly limits: EvalLimits;
  readonly tests: readonly EvalTest[];
}

/** A file below `evals/`; `suite` is null when it has errors. */
export interface SuiteFile {
  /** Relative to the project's root. */
  readonly file: string;
  readonly suite: Suite | null;
  readonly positions: Positions;
}
