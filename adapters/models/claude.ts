import type Anthropic from '@anthropic-ai/sdk';
import { isObject } from '../../src/json.ts';
import type {
  LanguageModel,
  ModelAnswer,
  ModelCall,
  ModelMessage,
  ModelQuestion,
  ModelTool,
} from '../../src/quality/evals/model.ts';
import type { Model } from '../../src/settings/model.ts';
import { malformed, toModelError } from './errors.ts';
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
  if (!Array.isArray(content)) throw malformed(name, 'without content');
  const calls = content.flatMap((block) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, ...argumentsOf(block.input) }] : [],
  );
  const cached = (usage?.cache_creation_input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0);
  return {
    text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
    calls,
    usage: {
      input_tokens: (usage?.input_tokens ?? 0) + cached,
      output_tokens: usage?.output_tokens ?? 0,
    },
    ended: stop_reason === 'max_tokens' ? 'length' : stop_reason === 'refusal' ? 'refusal' : 'done',
    turn: JSON.parse(JSON.stringify(content)),
  };
}

function argumentsOf(data: unknown): Pick<ModelCall, 'args' | 'raw'> {
  return { args: isObject(data) ? data : null, raw: JSON.stringify(data) ?? '' };
}
