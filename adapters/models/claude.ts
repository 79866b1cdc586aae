import type Anthropic from '@anthropic-ai/sdk';
import { isObject, type JsonObject } from '../../src/json.ts';
import type {
  LanguageModel,
  ModelAnswer,
  ModelCall,
  ModelMessage,
  ModelQuestion,
  ModelTool,
} from '../../src/quality/evals/model.ts';
import type { Model } from '../../src/settings/model.ts';
import { malformed, tokensOf, toModelError } from './errors.ts';
import { loadPackage, toClientOptions } from './vendor-package.ts';

const PACKAGE = '@anthropic-ai/sdk';
const ADDRESS = 'https://api.anthropic.com';

/** Creates a model of type `claude`: the Messages API through the vendor's package. */
export async function createClaude(
  name: string,
  model: Model,
  load = () => import('@anthropic-ai/sdk'),
): Promise<LanguageModel> {
  const options = toClientOptions(name, model, ADDRESS);
  const { default: Client } = await loadPackage(PACKAGE, load, name);
  const client = new Client(options);
  return {
    name,
    ask: async (question, signal) => {
      try {
        const answer = await client.messages.create(toRequest(model.model ?? name, question), { signal });
        return toAnswer(name, answer);
      } catch (thrown) {
        throw toModelError(thrown, { name, apiKey: model.api_key });
      }
    },
  };
}

function toRequest(
  model: string,
  { system, messages, tools, maxTokens }: ModelQuestion,
): Anthropic.MessageCreateParamsNonStreaming {
  return {
    model,
    max_tokens: maxTokens,
    ...(system === null ? {} : { system }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    messages: messages.map(toMessage),
  };
}

function toTool({ name, description, schema }: ModelTool): Anthropic.Tool {
  return { name, description, input_schema: { ...schema, type: 'object' } };
}

function toMessage(message: ModelMessage): Anthropic.MessageParam {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'model') {
    // The API's own blocks go back unchanged, with thoughts and signatures.
    return { role: 'assistant', content: message.answer.turn as unknown as Anthropic.ContentBlockParam[] };
  }
  return {
    role: 'user',
    content: message.results.map(({ id, text, failed }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: text,
      is_error: failed,
    })),
  };
}

function toAnswer(name: string, { content, usage, stop_reason }: Anthropic.Message): ModelAnswer {
  if (!Array.isArray(content) || !content.every(isObject)) throw malformed(name, 'without content');
  const blocks: readonly JsonObject[] = JSON.parse(JSON.stringify(content));
  const calls = blocks.filter(({ type }) => type === 'tool_use').map((block) => toCall(name, block));
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => text);
  if (!texts.every((text) => typeof text === 'string'))
    throw malformed(name, 'with text that is not a string');
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage ?? {};
  const read = [input_tokens, cache_creation_input_tokens, cache_read_input_tokens].map(tokensOf);
  return {
    text: texts.join('\n'),
    calls,
    usage: {
      input_tokens: read.reduce((sum, count) => sum + count, 0),
      output_tokens: tokensOf(usage?.output_tokens),
    },
    ended: CUT.has(String(stop_reason)) ? 'length' : stop_reason === 'refusal' ? 'refusal' : 'done',
    turn: blocks,
  };
}

/** The reasons to stop in the middle of an answer. */
const CUT = new Set(['max_tokens', 'model_context_window_exceeded']);

function toCall(model: string, { id, name, input = null }: JsonObject): ModelCall {
  if (typeof id !== 'string' || typeof name !== 'string') {
    throw malformed(model, 'with a call without an id or a name');
  }
  return { id, name, args: isObject(input) ? input : null, raw: JSON.stringify(input) };
}
