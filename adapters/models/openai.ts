import type OpenAI from 'openai';
import { isObject, type JsonValue, toTextOrJson, tryJson } from '../../src/json.ts';
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

type Completions = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;
type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type Tool = OpenAI.Chat.Completions.ChatCompletionTool;
type Choice = OpenAI.Chat.Completions.ChatCompletion.Choice;

const ADDRESS = 'https://api.openai.com/v1';

/** Creates a model of type `openai`: chat completions through the vendor's package. */
export async function createOpenAi(name: string, model: Model): Promise<LanguageModel> {
  const options = toClientOptions(name, model, ADDRESS);
  const { default: Client } = await loadPackage('openai', () => import('openai'), name);
  const client = new Client({ ...options, organization: null, project: null });
  return {
    name,
    ask: async (question, signal) => {
      try {
        const request = { model: model.model ?? name, ...toRequest(question, model.base_url === null) };
        const { choices, usage } = await client.chat.completions.create(request, { signal });
        const [choice] = Array.isArray(choices) ? choices : [];
        if (!choice?.message) throw malformed(name, 'without a choice');
        return toAnswer(name, choice, usage);
      } catch (thrown) {
        throw toModelError(thrown, { name, apiKey: model.api_key });
      }
    },
  };
}

/** The vendor's newer models reject `max_tokens`, and compatible services know only `max_tokens`. */
function toRequest(
  { system, messages, tools, maxTokens }: ModelQuestion,
  own: boolean,
): Omit<Completions, 'model'> {
  return {
    messages: [
      ...(system === null ? [] : [{ role: 'system' as const, content: system }]),
      ...messages.flatMap(toMessages),
    ],
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(own ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
  };
}

function toTool({ name, description, schema }: ModelTool): Tool {
  return { type: 'function', function: { name, description, parameters: { ...schema } } };
}

function toMessages(message: ModelMessage): readonly Message[] {
  if (message.role === 'user') return [{ role: 'user', content: message.text }];
  if (message.role === 'model') return [message.answer.turn as unknown as Message];
  return message.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
}

function toAnswer(
  name: string,
  { message, finish_reason }: Choice,
  usage: OpenAI.CompletionUsage | undefined,
): ModelAnswer {
  const { content, refusal, tool_calls } = message;
  const calls = tool_calls ?? [];
  if (!Array.isArray(calls)) throw malformed(name, 'with calls that are not a list');
  return {
    text: textOf(name, content ?? refusal),
    calls: calls.map((call) => toCall(name, call)),
    usage: {
      input_tokens: tokensOf(usage?.prompt_tokens),
      output_tokens: tokensOf(usage?.completion_tokens),
    },
    ended:
      finish_reason === 'length'
        ? 'length'
        : refusal || finish_reason === 'content_filter'
          ? 'refusal'
          : 'done',
    turn: {
      role: 'assistant',
      content: content ?? null,
      ...(calls.length > 0 ? { tool_calls: JSON.parse(JSON.stringify(calls)) } : {}),
    },
  };
}

/** Reads the text of an answer. Some compatible services send it in parts. */
function textOf(model: string, content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content)
    ? content.filter((part) => isObject(part) && part.type === 'text').map(({ text }) => text)
    : [content ?? ''];
  if (parts.every((part) => typeof part === 'string')) return parts.join('');
  throw malformed(model, 'with text that is not a string');
}

function toCall(model: string, call: unknown): ModelCall {
  const { id, type, custom, function: called } = isObject(call) ? call : {};
  const made = type === 'custom' ? custom : called;
  const { name, input = '', arguments: args = '' } = isObject(made) ? made : {};
  if (typeof name !== 'string') throw malformed(model, 'with a call without a name');
  const known = { id: String(id ?? ''), name };
  return type === 'custom'
    ? { ...known, args: null, raw: toTextOrJson(input) }
    : { ...known, ...argumentsOf(args) };
}

/** Parses the arguments of a call; an empty text is an empty object. Some compatible services send the object itself. */
function argumentsOf(given: JsonValue): Pick<ModelCall, 'args' | 'raw'> {
  const raw = toTextOrJson(given);
  if (raw.trim() === '') return { args: {}, raw };
  const parsed = tryJson(raw);
  return { args: isObject(parsed) ? parsed : null, raw };
}
