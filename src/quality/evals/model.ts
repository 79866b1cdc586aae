import type { JsonObject, JsonValue } from '../../json.ts';

/** An endpoint as a model may call it. */
export interface ModelTool {
  /** Letters, digits, `_` and `-`, at most 64: what every vendor takes. */
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** A call that a model asks for. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** Null where what it sent is no JSON object. */
  readonly args: JsonObject | null;
  /** The arguments as they were sent. */
  readonly raw: string;
}

/** Tokens that a model read and wrote. */
export type Usage = { readonly input_tokens: number; readonly output_tokens: number };

/** One answer of a model: words, calls, or both. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly usage: Usage;
  /** `length`: cut at the most tokens that were asked for. */
  readonly ended: 'done' | 'length' | 'refusal';
  /** The turn in the vendor's own form, to be handed back as it is. */
  readonly turn: JsonValue;
}

/** What a call returned, as the model reads it. */
export interface ModelResult {
  readonly id: string;
  readonly text: string;
  readonly failed: boolean;
}

/** One turn of a conversation. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'model'; readonly answer: ModelAnswer }
  | { readonly role: 'tools'; readonly results: readonly ModelResult[] };

/** What a model is asked. */
export interface ModelQuestion {
  readonly system: string | null;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly maxTokens: number;
}

/** A language model; errors are SvcErrors of the codes model_failed, rate_limited, deadline_exceeded, without any key in them. */
export interface LanguageModel {
  readonly name: string;
  ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer>;
}
