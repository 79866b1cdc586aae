import { SvcError } from '../../src/errors.ts';
import { isList, isObject, type JsonObject, type JsonValue, toTextOrJson, tryJson } from '../../src/json.ts';
import type { EndpointKind } from '../../src/project/model.ts';
import { parseUriTemplate } from '../../src/project/uri.ts';
import type { Ended, RecordedCall } from '../../src/quality/replay/record.ts';
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
  return {
    kindOf: (kind, name) => kindOf(kind, served[kind].get(name)),
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
 * Classifies a call before it is made. A tool counts as writing unless its annotations say that it only reads.
 */
function kindOf(kind: EndpointKind, served: JsonObject | undefined): ReturnType<Player['kindOf']> {
  if (served === undefined) return 'gone';
  if (kind !== 'tool') return 'reads';
  const hints = isObject(served.annotations) ? served.annotations : {};
  return hints.readOnlyHint === true && hints.destructiveHint !== true ? 'reads' : 'writes';
}

async function play(ask: SendRequest, call: RecordedCall): Promise<Ended> {
  const { method, params, name } = requestOf(call);
  const start = performance.now();
  const answer = await ask(method, params, name);
  const durationMs = Math.round(performance.now() - start);
  if ('error' in answer) return failed(answer.error.message, call, durationMs);
  const { result } = answer;
  if (result.isError === true) return failed(textOf(result), call, durationMs);
  return {
    ...UNKNOWN,
    status: 'success',
    durationMs,
    decision: notDenied(call),
    ...answerOf(call.kind, result),
  };
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

/** Describes a failed call. Its decision is known only if it has the text of the recorded denial. */
function failed(text: string, { ended }: RecordedCall, durationMs: number): Ended {
  const same = ended.status === 'error' && ended.errorText === text;
  return { ...UNKNOWN, status: 'error', durationMs, errorText: text, decision: same ? ended.decision : null };
}

function textOf(result: JsonObject): string {
  const [first] = isList(result.content) ? result.content : [];
  return isObject(first) ? String(first.text ?? '') : '';
}

/** Returns the number of rows, and the value if the response has one. */
function answerOf(
  kind: EndpointKind,
  result: JsonObject,
): Pick<Ended, 'rows'> & { readonly value?: JsonValue } {
  if (kind === 'prompt') return { rows: isList(result.messages) ? result.messages.length : null };
  const value = kind === 'tool' ? result.structuredContent : readOf(result);
  if (value === undefined) return { rows: null };
  return { rows: isList(value) ? value.length : value === null ? 0 : 1, value };
}

function readOf(result: JsonObject): JsonValue | undefined {
  const [first] = isList(result.contents) ? result.contents : [];
  if (!isObject(first) || typeof first.text !== 'string') return undefined;
  if (first.mimeType !== 'application/json') return first.text;
  const value = tryJson(first.text);
  return value === undefined ? first.text : value;
}
