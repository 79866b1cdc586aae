import { isList, isObject, type JsonObject, type JsonValue } from '../../../src/json.ts';
import { defaultFor, toValueName } from './parameter.ts';
import type { ToolboxItem } from './read.ts';
import type { Unconverted } from './source.ts';
import { toToolName } from './tool.ts';

/** A prompt of MCP Toolbox as an endpoint file. */
interface ConvertedPrompt {
  readonly name: string;
  readonly file: JsonObject;
  readonly remarks: readonly string[];
}

const KEYS = new Set(['name', 'type', 'kind', 'description', 'messages', 'arguments']);
const ARGUMENT_KEYS = new Set(['name', 'type', 'description', 'required', 'default']);
/** The one form of Go's templates with a counterpart. */
const VALUE = /\{\{-?\s*\.([\w-]+)\s*-?\}\}/g;

/** Converts a prompt, or names the reason why it cannot be one. */
export function convertPrompt({ name: written, value }: ToolboxItem): ConvertedPrompt | Unconverted {
  const { description, messages, arguments: given } = value;
  const texts = (isList(messages) ? messages : []).filter(isObject);
  if (texts.length === 0) return { reason: 'It has no `messages`.' };
  const contents = texts.map(({ content }) => (typeof content === 'string' ? content : ''));
  if (contents.some((text) => text.replaceAll(VALUE, '').includes('{{'))) {
    return { reason: "Its messages use more of Go's templates than `{{.name}}`." };
  }
  if (contents.some((text) => /\{[%#]/.test(text))) {
    return {
      reason: 'Its messages contain `{%` or `{#`, which begin tags and comments in templates of svc.',
    };
  }
  const name = toToolName(written);
  const args = (isList(given) ? given : []).filter(isObject);
  const parameters = args.map(toParameter);
  return {
    name,
    file: {
      svc: 1,
      prompt: {
        name,
        ...(typeof description === 'string' ? { description: description.trim() } : {}),
        ...(parameters.length > 0 ? { parameters } : {}),
        messages: texts.map(({ role }, index) => ({
          ...(typeof role === 'string' ? { role } : {}),
          prompt: (contents[index] ?? '').replaceAll(VALUE, (_, own: string) => `{{ ${toValueName(own)} }}`),
        })),
      },
    },
    remarks: [
      ...(name === written ? [] : [`The prompt is now named ${name}.`]),
      ...Object.keys(value)
        .filter((key) => !KEYS.has(key))
        .map((key) => `\`${key}\` has no counterpart.`),
      ...args.flatMap((argument) =>
        Object.keys(argument)
          .filter((key) => !ARGUMENT_KEYS.has(key))
          .map((key) => `\`${key}\` of the argument ${String(argument.name)} has no counterpart.`),
      ),
    ],
  };
}

function toParameter({ name, description, type, required, default: given }: JsonObject): JsonObject {
  const hasDefault = given !== undefined && given !== null;
  const types: Readonly<Record<string, string>> = { integer: 'integer', float: 'number', boolean: 'boolean' };
  const known = types[String(type)] ?? 'string';
  const optional: { readonly [key: string]: JsonValue } = hasDefault
    ? { default: defaultFor(known, given) }
    : required === false
      ? { nullable: true, default: null }
      : {};
  return {
    name: toValueName(String(name)),
    type: known,
    ...(typeof description === 'string' ? { description } : {}),
    ...optional,
  };
}
