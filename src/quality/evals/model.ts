import type { JsonObject, JsonValue } from '../../json.ts';

/** An endpoint as a model may call it. */
export interface ModelTool {
  /** At most 64 letters, digits, `_` and `-`, which every vendor accepts. */
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** A call that a model requests. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** Null if the model did not send a JSON object. */
  readonly args: JsonObject | null;
  /** The arguments as sent. */
  readonly raw: string;
}

/** The tokens that a model read and wrote. */
export type Usage = { readonly input_tokens: number; readonly output_tokens: number };

/** One answer of a model: words, calls, or both. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly usage: Usage;
  /** `length`: the answer was cut at the limit of tokens. */
  readonly ended: 'done' | 'length' | 'refusal';
  /** The turn in the vendor's own form, which is sent back unchanged. */
  readonly turn: JsonValue;
}

/** The result of a call, as the model reads it. */
interface ModelResult {
  readonly id: string;
  readonly text: string;
  readonly failed: boolean;
}

/** One turn of a conversation. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'model'; readonly answer: ModelAnswer }
  | { readonly role: 'tools'; readonly results: readonly ModelResult[] };

/** One request to a model. */
export interface ModelQuestion {
  readonly system: string | null;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly maxTokens: number;
}

/**
 * A language model. Its errors are SvcErrors with the codes model_failed,
 * rate_limited and deadline_exceeded; their texts contain no key.
 */
export interface LanguageModel {
  readonly name: string;
  ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer>;
}
