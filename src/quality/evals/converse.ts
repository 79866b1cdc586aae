import { type SvcError, toSvcError } from '../../errors.ts';
import { type Calling, type MadeCall, makeCall } from './call.ts';
import type { LanguageModel, ModelAnswer, ModelCall, ModelMessage, Usage } from './model.ts';

/** The start of one conversation. */
interface EvalQuestion extends Omit<Calling, 'turn'> {
  readonly model: LanguageModel;
  readonly system: string | null;
  readonly prompt: string;
  /** The most requests to the model. */
  readonly turns: number;
  readonly tokens: number;
  readonly signal: AbortSignal;
}

/** A conversation up to its last answer. */
export interface Conversation {
  readonly answer: string;
  readonly calls: readonly MadeCall[];
  /** The model's text in each turn. */
  readonly said: readonly string[];
  readonly turns: number;
  readonly usage: Usage;
  /** `turns`: the model reached the limit of turns. `error`: a request to the model failed. */
  readonly ended: ModelAnswer['ended'] | 'turns' | 'error';
  readonly error: SvcError | null;
}

/** The most calls of one turn that run; the others are answered with an error. */
const CALLS_A_TURN = 32;

/** Asks a model, runs the calls that it requests, and repeats until the model answers without calls. */
export async function converse(question: EvalQuestion): Promise<Conversation> {
  const messages: ModelMessage[] = [{ role: 'user', text: question.prompt }];
  const calls: MadeCall[] = [];
  const said: string[] = [];
  let usage: Usage = { input_tokens: 0, output_tokens: 0 };
  const end = (ended: Conversation['ended'], error: SvcError | null = null): Conversation => ({
    answer: ended === 'error' ? '' : (said.at(-1) ?? ''),
    ...{ calls, said, usage, ended, error, turns: said.length },
  });
  for (let turn = 1; turn <= question.turns; turn += 1) {
    const answer = await ask(question, messages);
    if ('error' in answer) return end('error', answer.error);
    usage = addUsage(usage, answer.usage);
    said.push(answer.text);
    if (answer.calls.length === 0) return end(answer.ended);
    const made = await makeCalls(answer.calls, { ...question, turn });
    calls.push(...made);
    messages.push({ role: 'model', answer }, { role: 'tools', results: toResults(answer.calls, made) });
  }
  return end('turns');
}

async function ask(
  { model, system, offers, tokens, signal }: EvalQuestion,
  messages: readonly ModelMessage[],
): Promise<ModelAnswer | { readonly error: SvcError }> {
  const tools = offers.map(({ name, description, schema }) => ({ name, description, schema }));
  try {
    return await model.ask({ system, messages: [...messages], tools, maxTokens: tokens }, signal);
  } catch (thrown) {
    return { error: toSvcError(thrown) };
  }
}

/** Runs parallel calls in parallel, as clients do. */
function makeCalls(calls: readonly ModelCall[], calling: Calling): Promise<readonly MadeCall[]> {
  return Promise.all(calls.slice(0, CALLS_A_TURN).map((call) => makeCall(call, calling)));
}

/** Gives every call an answer, because vendors reject a conversation with a missing one. */
function toResults(calls: readonly ModelCall[], made: readonly MadeCall[]) {
  return calls.map(({ id }, index) => {
    const call = made[index];
    return call === undefined
      ? { id, text: `Not executed: one turn may have at most ${CALLS_A_TURN} calls.`, failed: true }
      : { id, text: call.text, failed: call.error !== null };
  });
}

/** The sum of two usages. */
export function addUsage(one: Usage, other: Usage): Usage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
  };
}
