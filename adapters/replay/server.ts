import { hidesTools } from '../../src/catalog/tool-search.ts';
import { ERRORS, SvcError, toSvcError } from '../../src/errors.ts';
import { isList, isObject, type JsonObject, type JsonValue, toTextOrJson, tryJson } from '../../src/json.ts';
import { isResultUri } from '../../src/mcp/methods/large-result.ts';
import { TRUNCATED_META_KEY } from '../../src/mcp/methods/result.ts';
import { toCsv, toMarkdownTable, toTable } from '../../src/mcp/methods/rows.ts';
import type { EndpointKind } from '../../src/project/model.ts';
import { parseUriTemplate } from '../../src/project/uri.ts';
import { type Ended, isMarked, type RecordedCall } from '../../src/quality/replay/record.ts';
import type { Player } from '../../src/quality/replay/run.ts';
import { createReplayClient, type ReplayAnswer, type SendRequest } from './client.ts';

/** Opens a running server for replayed calls, as the user of the token. */
export async function openServer(url: URL, token: string | null): Promise<Player> {
  const ask = createReplayClient(url, token);
  const [tools, resources, templates, prompts] = [
    await listAll(ask, 'tools/list', 'tools'),
    await listAll(ask, 'resources/list', 'resources'),
    await listAll(ask, 'resources/templates/list', 'resourceTemplates'),
    await listAll(ask, 'prompts/list', 'prompts'),
  ];
  const served: { readonly [kind in EndpointKind]: ReadonlyMap<string, JsonObject> } = {
    tool: keyed(tools, 'name'),
    resource: new Map([...keyed(resources, 'uri'), ...keyed(templates, 'uriTemplate')]),
    prompt: keyed(prompts, 'name'),
  };
  const unlisted = hidesTools([...served.tool.keys()]);
  return {
    kindOf: (kind, name) => {
      const listed = served[kind].get(name);
      return unlisted && kind === 'tool' && listed === undefined ? 'unlisted' : kindOf(kind, listed);
    },
    play: (call) => play(ask, call),
    close: async () => {},
  };
}

async function listAll(ask: SendRequest, method: string, key: string): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  let cursor: string | null = null;
  do {
    const answer: ReplayAnswer = await ask(method, cursor === null ? {} : { cursor });
    // A server without any of these may not know the method.
    if ('error' in answer) {
      if (answer.error.code === -32601) return items;
      throw new SvcError('request_invalid', `The server rejected ${method}: ${answer.error.message}`);
    }
    const { [key]: page, nextCursor } = answer.result;
    items.push(...(isList(page) ? page.filter(isObject) : []));
    // Some servers end the last page with null.
    cursor = typeof nextCursor === 'string' ? nextCursor : null;
  } while (cursor !== null);
  return items;
}

function keyed(items: readonly JsonObject[], key: string): ReadonlyMap<string, JsonObject> {
  return new Map(items.map((item) => [String(item[key]), item]));
}

/**
 * Classifies a call before it is made. A tool counts as writing unless its annotations say that it only reads. The lists of
 * resources and prompts do not say so.
 */
function kindOf(kind: EndpointKind, served: JsonObject | undefined): ReturnType<Player['kindOf']> {
  if (served === undefined) return 'gone';
  if (kind !== 'tool') return 'reads';
  const hints = isObject(served.annotations) ? served.annotations : {};
  return hints.readOnlyHint === true && hints.destructiveHint !== true ? 'reads' : 'writes';
}

type Played = Awaited<ReturnType<Player['play']>>;

async function play(ask: SendRequest, call: RecordedCall): Promise<Played> {
  const start = performance.now();
  const passed = () => Math.round(performance.now() - start);
  try {
    return await playOnce(ask, call, passed);
  } catch (thrown) {
    const { code, message } = toSvcError(thrown);
    if (code === 'busy') return { skip: 'away' };
    return { ...UNKNOWN, status: 'error', durationMs: passed(), errorText: message, lost: true };
  }
}

async function playOnce(ask: SendRequest, call: RecordedCall, passed: () => number): Promise<Played> {
  const { method, params, name } = requestOf(call);
  const answer = await ask(method, params, name);
  const durationMs = passed();
  if ('error' in answer) {
    if (answer.error.code === ERRORS.capability_missing.rpc) return { skip: 'asks' };
    return failed(answer.error.message, call, durationMs);
  }
  const { result } = answer;
  if (result.isError === true) return failed(textOf(result), call, durationMs);
  const link = linkOf(result);
  const whole = link === null ? null : await ask('resources/read', { uri: link }, link);
  if (whole !== null && 'error' in whole) return failed(whole.error.message, call, durationMs);
  return {
    ...UNKNOWN,
    status: 'success',
    durationMs,
    decision: notDenied(call),
    ...(whole === null ? answerOf(call, result) : wholeAnswer(call, whole.result)),
  };
}

/** The address of all rows, if the answer is a summary of a large result (`large_result`). */
function linkOf({ content }: JsonObject): string | null {
  const blocks = isList(content) ? content.filter(isObject) : [];
  const link = blocks.find(({ type, uri }) => type === 'resource_link' && isResultUri(String(uri)));
  return link === undefined ? null : String(link.uri);
}

/** All rows of a large result. Rows in Parquet are not compared. */
function wholeAnswer(call: RecordedCall, result: JsonObject): Answered {
  const [first] = contentsOf(result);
  if (first === undefined || typeof first.text !== 'string') return { rows: null };
  if (first.mimeType !== 'application/json') return { rows: null, ...textAnswer(call, first.text, '\r\n') };
  return valueAnswer(readOf(result, call));
}

function requestOf({ kind, name, args }: RecordedCall) {
  if (kind === 'tool') return { method: 'tools/call', params: { name, arguments: args }, name };
  if (kind === 'resource') {
    const uri = expand(name, args);
    return { method: 'resources/read', params: { uri }, name: uri };
  }
  const given = Object.entries(args).filter(([, value]) => value !== null);
  const texts = given.map(([key, value]) => [key, toTextOrJson(value)] as const);
  return { method: 'prompts/get', params: { name, arguments: Object.fromEntries(texts) }, name };
}

function expand(template: string, args: JsonObject): string {
  const parsed = parseUriTemplate(template);
  if ('problem' in parsed) return template;
  const { literals, variables } = parsed.template;
  const values = variables.map((name) => encodeURIComponent(toTextOrJson(args[name] ?? '')));
  return literals.map((literal, at) => `${literal}${values[at] ?? ''}`).join('');
}

const UNKNOWN = { decision: null, errorCode: null, errorText: null, rows: null } as const;

/** Returns the decision of a successful call: not a denial. Other decisions do not show in a response. */
function notDenied({ ended }: RecordedCall): string | null {
  return ended.decision === 'deny' ? 'allow' : ended.decision;
}

/** The end of the text of each `busy` error. */
const BUSY_TEXT = /; try again\.$/;

/**
 * Describes a failed call. Its decision is known only if it has the text of the recorded denial. A busy server shows
 * nothing about the endpoint.
 */
function failed(text: string, { ended }: RecordedCall, durationMs: number): Played {
  if (BUSY_TEXT.test(text)) return { skip: 'circumstances' };
  const same = ended.status === 'error' && ended.errorText === text;
  return { ...UNKNOWN, status: 'error', durationMs, errorText: text, decision: same ? ended.decision : null };
}

function textOf(result: JsonObject): string {
  const [first] = isList(result.content) ? result.content : [];
  return isObject(first) ? String(first.text ?? '') : '';
}

type Answered = Pick<Ended, 'rows' | 'value' | 'text'>;

/** Returns the number of rows, and the value if the response has one. */
function answerOf(call: RecordedCall, result: JsonObject): Answered {
  if (call.kind === 'prompt') return { rows: isList(result.messages) ? result.messages.length : null };
  const value = call.kind === 'tool' ? result.structuredContent : readOf(result, call);
  return value === undefined ? contentAnswer(call, blocksOf(result)) : valueAnswer(value);
}

/** The blocks of content, without the note about a cut. */
function blocksOf({ content, _meta: meta }: JsonObject): readonly JsonObject[] {
  const blocks = isList(content) ? content.filter(isObject) : [];
  return isObject(meta) && TRUNCATED_META_KEY in meta ? blocks.slice(0, -1) : blocks;
}

/** Compares an answer without a value: a text, a picture or a sound, or a block for each row. */
function contentAnswer(call: RecordedCall, blocks: readonly JsonObject[]): Answered {
  const { value = null } = call.ended;
  const [first, second] = blocks;
  const isText = first?.type === 'text' && second === undefined;
  const { text: table } = isText ? textAnswer(call, String(first.text), '\n') : {};
  // A table with a column `type` may look like rows that describe content.
  if (isContent(value) && (table === undefined || table.recorded !== table.now)) {
    const text = { recorded: value.map(bodyOf).join('\n'), now: blocks.map(bodyOf).join('\n') };
    return { rows: blocks.length, ...(isMarked(value) ? {} : { text }) };
  }
  if (first === undefined || second !== undefined) return { rows: null };
  if (isText) return { rows: null, ...(table === undefined ? {} : { text: table }) };
  return typeof value === 'string' ? valueAnswer(first.data) : { rows: null };
}

const CONTENT = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** Whether rows describe blocks of content (`content: rows`). */
function isContent(value: JsonValue): value is readonly JsonObject[] {
  return (
    isList(value) && value.length > 0 && value.every((row) => isObject(row) && CONTENT.has(String(row.type)))
  );
}

/** The part of a block, or of the row that describes it, that clients show. */
function bodyOf({ resource, text, data, blob, uri }: JsonObject): string {
  if (isObject(resource)) return bodyOf(resource);
  return toTextOrJson(text ?? data ?? blob ?? uri ?? null);
}

function valueAnswer(value: JsonValue | undefined): Answered {
  if (value === undefined) return { rows: null };
  return { rows: isList(value) ? value.length : value === null ? 0 : 1, value };
}

/** Compares a text with the recorded rows, which a tool with `format` writes as such a text. */
function textAnswer({ ended }: RecordedCall, now: string, newline: string): Pick<Ended, 'text'> {
  const { value } = ended;
  if (value === undefined || isMarked(value)) return {};
  const table = toTable(value);
  if (table === null) return {};
  const [csv, markdown] = [toCsv(table, newline), toMarkdownTable(table)];
  const forms = [JSON.stringify(value), markdown, csv, csv.trimEnd()];
  const like = now.startsWith('|') ? markdown : csv.trimEnd();
  return { text: { recorded: forms.includes(now) ? now : like, now } };
}

function contentsOf({ contents }: JsonObject): readonly JsonObject[] {
  return isList(contents) ? contents.filter(isObject) : [];
}

/** Reads the content of a resource, as the type of the recorded value. */
function readOf(result: JsonObject, { ended }: RecordedCall): JsonValue | undefined {
  const [first] = contentsOf(result);
  // The record has the bytes of a file in base64 too.
  if (typeof first?.blob === 'string') return first.blob;
  if (typeof first?.text !== 'string') return undefined;
  const { text, mimeType } = first;
  const parsed = tryJson(text);
  if (typeof ended.value === 'string') return parsed === ended.value ? parsed : text;
  return parsed !== undefined && (mimeType === 'application/json' || ended.value !== undefined)
    ? parsed
    : text;
}
