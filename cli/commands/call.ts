import { findProjectRoot } from '../../adapters/node/project/project-files.ts';
import { hidesTools, SEARCH_NAME } from '../../src/catalog/tool-search.ts';
import { SvcError } from '../../src/errors.ts';
import {
  isList,
  isObject,
  type JsonObject,
  type JsonValue,
  own,
  textsOf,
  toTextOrJson,
  tryJson,
} from '../../src/json.ts';
import { tryExactJson } from '../../src/types/coerce.ts';
import { suggestName } from '../../src/types/nearest.ts';
import {
  type CallKind,
  type ClientSession,
  type ListedEndpoints,
  listOffers,
  openSession,
} from '../call/session.ts';
import type { CommandInput, Run } from '../command.ts';
import { configuredAddress, toAddress } from '../doctor/address.ts';
import { type Output, styled, toColumns } from '../io/output.ts';
import { toText } from '../io/value-text.ts';
import { parseParamOptions } from '../project/options.ts';
import { checkSite } from '../project/project.ts';
import { settingsOf } from '../project/settings.ts';

/** `svc call <name>`: calls a running server as its clients do. */
export const run: Run = async (input, output) => {
  const [name] = input.args;
  const listing = input.flag('list');
  if (!listing && name === undefined) {
    throw new SvcError('usage', 'svc call needs the name of a tool. `svc call --list` shows the names.');
  }
  const kind = kindOf(input);
  const args = await parseParamOptions(input.list('param'));
  if (listing && Object.keys(args).length > 0) {
    throw new SvcError('usage', '--list takes no --param. Leave out one of them.');
  }
  const target = kind === 'resource' && name !== undefined ? expandUri(name, args) : name;
  const session = await openSession(await urlOf(input), tokenOf(input));
  try {
    if (listing || target === undefined) return await list(session, kind, output);
    return await output.progress('waiting', () =>
      call(session, { kind: kind ?? 'tool', name: target, args }, output),
    );
  } finally {
    await session.close();
  }
};

function kindOf(input: CommandInput): CallKind | null {
  const resource = input.flag('resource');
  if (resource && input.flag('prompt')) {
    throw new SvcError(
      'usage',
      'The name is either a resource or a prompt. Leave out --resource or --prompt.',
    );
  }
  return resource ? 'resource' : input.flag('prompt') ? 'prompt' : null;
}

/**
 * The URI of a resource: its template with the values of its placeholders (RFC 6570, level 1). Throws `usage` for a value
 * without a placeholder, and the reverse.
 */
function expandUri(template: string, args: JsonObject): string {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  const extra = Object.keys(args).find((name) => !names.includes(name));
  if (extra !== undefined) {
    throw new SvcError('usage', `--param ${extra}: ${template} has no placeholder {${extra}}.`);
  }
  return template.replaceAll(PLACEHOLDER, (_, name: string) => {
    const value = own(args, name);
    if (value !== undefined) return encodeURIComponent(toTextOrJson(value));
    throw new SvcError('usage', `${template} needs a value of {${name}}: --param ${name}=value.`);
  });
}

const PLACEHOLDER = /\{([^{}]+)\}/g;

/** The address of the server: `--url`, else the project's settings, else the default address. */
async function urlOf(input: CommandInput): Promise<string> {
  const url = input.text('url');
  if (url !== undefined) return toAddress(url).mcpWithQuery;
  if ((await findProjectRoot(process.cwd())) === null) return toAddress('http://127.0.0.1:8000').mcp;
  const { transport } = await settingsOf(input, await checkSite(input));
  return configuredAddress(transport.http).mcp;
}

/** Reads the token from a variable, because other users can see command lines. */
function tokenOf(input: CommandInput): string | null {
  const name = input.text('tokenEnv');
  if (name === undefined) return null;
  const token = process.env[name]?.trim();
  if (token) return token;
  throw new SvcError('usage', `--token-env ${name}: the variable ${name} is not set or is empty.`);
}

async function list(session: ClientSession, kind: CallKind | null, output: Output): Promise<number> {
  const offers = await session.ask((client) => listOffers(client, kind === null ? undefined : [kind]));
  output.data({ status: 'ok', offers: offers.map((offer) => ({ ...offer })) }, () => {
    if (offers.length === 0) return styled('dim', 'The server offers nothing to this caller.');
    return toColumns(
      offers.map((one) => [
        one.kind,
        styled('strong', one.name),
        styled('dim', one.description.split('\n')[0] ?? ''),
      ]),
    );
  });
  return 0;
}

interface Asked {
  readonly kind: CallKind;
  readonly name: string;
  readonly args: JsonObject;
}

async function call(session: ClientSession, { kind, name, args }: Asked, output: Output): Promise<number> {
  if (kind === 'resource') return read(session, name, output);
  const offers = await session.ask((client) => listOffers(client, [kind]));
  const listed = offers.find((one) => one.name === name);
  const schema = listed?.schema ?? (kind === 'tool' ? await searchSchema(session, name, offers) : null);
  if (schema === null) throw unknown(kind, name, offers);
  if (kind === 'prompt') return render(session, name, args, output);
  const given = toArguments(args, schema);
  const result = (await session.ask((client) => client.callTool({ name, arguments: given }))) as JsonObject;
  const failed = result.isError === true;
  if (failed && !output.json)
    output.note(`${styled('error', 'error:', process.stderr)} ${toToolText(result)}`);
  else output.data(result, () => toToolText(result));
  return failed ? 1 : 0;
}

/** Asks a server that hides its tools (`tool_search`) for the schema of one; null if it has no such tool. */
async function searchSchema(
  session: ClientSession,
  name: string,
  offers: readonly ListedEndpoints[],
): Promise<JsonObject | null> {
  if (!hidesTools(offers.map((offer) => offer.name))) return null;
  const query = { name: SEARCH_NAME, arguments: { query: name } };
  const { content } = (await session.ask((client) => client.callTool(query))) as JsonObject;
  const answer = tryJson(String(listOf(content)[0]?.text));
  return schemaIn(mapOf(answer), name);
}

/** The schema of a tool in the answer of a search: without types if the answer has only its name, null without the tool. */
export function schemaIn({ tools, others }: JsonObject, name: string): JsonObject | null {
  const found = listOf(tools).find((tool) => tool.name === name);
  if (found !== undefined) return mapOf(found.inputSchema);
  return textsOf(others).includes(name) ? {} : null;
}

async function read(session: ClientSession, uri: string, output: Output): Promise<number> {
  const result = (await session.ask((client) => client.readResource({ uri }))) as JsonObject;
  output.data(result, () => toResourceText(result));
  return 0;
}

async function render(
  session: ClientSession,
  name: string,
  args: JsonObject,
  output: Output,
): Promise<number> {
  const texts = Object.entries(args).map(([key, value]) => [key, toTextOrJson(value)]);
  const given: Record<string, string> = Object.fromEntries(texts);
  const result = (await session.ask((client) => client.getPrompt({ name, arguments: given }))) as JsonObject;
  output.data(result, () => toPromptText(result));
  return 0;
}

function unknown(kind: CallKind, name: string, offers: readonly ListedEndpoints[]): SvcError {
  const names = offers.map((offer) => offer.name);
  const hint = suggestName(name, names, '`svc call --list` shows the names.');
  return new SvcError('endpoint_unknown', `The server offers no ${kind} ${name} to this caller.\n${hint}`);
}

/**
 * Converts the texts of a command line to the types of a tool's schema. A text that fits no type stays a text, and
 * the server refuses it.
 */
export function toArguments(args: JsonObject, schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, toArgument(value, propertyOf(schema, name))]),
  );
}

function toArgument(value: JsonValue, schema: JsonObject): JsonValue {
  const types = typesOf(schema);
  if (typeof value !== 'string') return withNumbers(value, schema);
  if (types.includes('string')) return value;
  const parsed = tryJson(value);
  const exact = tryExactJson(value);
  if (parsed === undefined || exact === undefined) return value;
  const type = typeOf(parsed);
  return types.includes(type) || (type === 'number' && types.includes('integer'))
    ? withNumbers(exact, schema)
    : value;
}

/**
 * Integers beyond 2^53 are texts here, and servers take them so, because a number may have lost digits. This makes a number
 * of each text whose schema allows numbers and no texts.
 */
function withNumbers(exact: JsonValue, schema: JsonObject): JsonValue {
  if (isList(exact)) return exact.map((item) => withNumbers(item, itemsOf(schema)));
  if (isObject(exact)) {
    return Object.fromEntries(
      Object.entries(exact).map(([name, value]) => [name, withNumbers(value, propertyOf(schema, name))]),
    );
  }
  const types = typesOf(schema);
  if (typeof exact !== 'string' || types.includes('string') || !types.includes('number')) return exact;
  const number = tryJson(exact);
  return typeof number === 'number' ? number : exact;
}

/** A schema and its alternatives. */
function branchesOf(schema: JsonObject): readonly JsonObject[] {
  const branches = schema.anyOf ?? schema.oneOf;
  return isList(branches) ? [schema, ...branches.flatMap((branch) => branchesOf(mapOf(branch)))] : [schema];
}

function itemsOf(schema: JsonObject): JsonObject {
  return mapOf(branchesOf(schema).find(({ items }) => isObject(items))?.items);
}

function propertyOf(schema: JsonObject, name: string): JsonObject {
  const found = branchesOf(schema).map(({ properties }) => own(mapOf(properties), name));
  return mapOf(found.find(isObject));
}

function typesOf(schema: JsonObject): readonly string[] {
  return branchesOf(schema).flatMap(({ type }) => textsOf(type));
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function mapOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

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
function toResourceText({ contents }: JsonObject): string {
  const parts = Array.isArray(contents) ? (contents as readonly JsonObject[]) : [];
  return parts.map(({ text, blob, mimeType }) => String(text ?? sizeText(mimeType, blob))).join('\n');
}

/** Formats the messages of a prompt, each under its role. */
function toPromptText({ messages }: JsonObject): string {
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
