import { isObject, type JsonObject, type JsonValue } from '../../src/json.ts';
import { styled } from '../io/output.ts';
import { toText } from '../io/value-text.ts';

/**
 * Formats a tool's result for people: its structured value if it has one, else its texts. Texts after the first are about
 * the value, such as that it was cut. With a link to all rows, the value is only an excerpt, and the texts say more.
 */
export function toToolText({ structuredContent, content }: JsonObject): string {
  const parts = listOf(content);
  if (structuredContent === undefined || parts.some(({ type }) => type === 'resource_link'))
    return partsOf(content);
  return [toText(unwrapped(structuredContent)), ...parts.slice(1).map(partText)].join('\n');
}

/** Older revisions of MCP wrap a value that is no object as `{"result": value}`. */
function unwrapped(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const [[key, inner] = [], ...others] = Object.entries(value);
  return key === 'result' && inner !== undefined && others.length === 0 ? inner : value;
}

/** Formats the contents of a resource. Binary contents are shown as their type and size. */
export function toResourceText({ contents }: JsonObject): string {
  const parts = Array.isArray(contents) ? (contents as readonly JsonObject[]) : [];
  return parts.map(({ text, blob, mimeType }) => String(text ?? sizeText(mimeType, blob))).join('\n');
}

/** Formats the messages of a prompt, each under its role. */
export function toPromptText({ messages }: JsonObject): string {
  const list = Array.isArray(messages) ? (messages as readonly { role: string; content: JsonObject }[]) : [];
  return list
    .map(({ role, content }) => `${styled('strong', `${role}:`)}\n${partsOf([content])}`)
    .join('\n\n');
}

function partsOf(content: JsonValue | undefined): string {
  return listOf(content).map(partText).join('\n');
}

function listOf(content: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(content) ? (content as readonly JsonObject[]) : [];
}

function partText({ type, text, data, mimeType, uri, resource }: JsonObject): string {
  if (type === 'text') return String(text);
  if (type === 'resource') return toResourceText({ contents: [resource ?? {}] });
  return type === 'resource_link' ? `-> ${uri}` : sizeText(mimeType ?? type, data);
}

function sizeText(type: JsonValue | undefined, base64: JsonValue | undefined): string {
  return `(${type ?? 'data'}, ${Math.floor((String(base64 ?? '').length * 3) / 4)} bytes; --json has them)`;
}
