import type { LiveCalls } from '../../src/admin/live-calls.ts';
import { type App, createApp } from '../../src/app.ts';
import type { Authenticate } from '../../src/auth/sender.ts';
import type { CallRecord } from '../../src/call/call-record.ts';
import type { Runtime } from '../../src/call/runtime.ts';
import type { User } from '../../src/context.ts';
import { LOCAL_ACCESS } from '../../src/http/access.ts';
import { isList, isObject, type JsonObject, type JsonValue, toTextOrJson } from '../../src/json.ts';
import type { Log } from '../../src/ports.ts';
import type { EndpointKind } from '../../src/project/model.ts';
import { estimateTokens } from '../../src/quality/lint/token-bill.ts';
import { VERSION } from '../../src/version.ts';
import type { AskedQuestion, CallAnswer } from './model.ts';

const REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol';
const USER = 'x-workbench-user';

/** A call of an endpoint, as a user who holds scopes. */
interface WireCall {
  readonly kind: EndpointKind;
  /** The name of a tool or a prompt, the URI of a resource. */
  readonly name: string;
  readonly arguments: JsonObject;
  readonly user: User | null;
  readonly scopes: readonly string[];
  /** Answers to questions of the endpoint, and the sealed state of the call. */
  readonly answers?: JsonObject;
}

/** Sends calls as MCP clients do. */
export type SendCall = (call: WireCall) => Promise<CallAnswer>;

/** The parts that calls of the workbench need. */
interface WireCallDeps {
  readonly runtime: () => Runtime;
  readonly live: LiveCalls;
  readonly log: Log;
}

/**
 * Makes a sender that goes the way of every MCP client: the same guards, pipeline, policies, records and spans. The app
 * that answers listens on no socket, so nobody else can name a user this way.
 */
export function createWireCall({ runtime, live, log }: WireCallDeps): SendCall {
  const callers = new Map<string, Awaited<ReturnType<Authenticate>>>();
  const facts = createCallFacts();
  const app = createApp({
    runtime: () => facts.heardFrom(runtime()),
    version: VERSION,
    stateless: true,
    log,
    access: LOCAL_ACCESS,
    authenticate: async (request) => callers.get(request.headers.get(USER) ?? '') ?? null,
  });
  return async (call) => {
    const id = crypto.randomUUID();
    callers.set(id, { user: call.user, scopes: call.scopes });
    try {
      return await exchange({ app, live, facts }, { ...call, id });
    } finally {
      callers.delete(id);
    }
  };
}

const METHODS = { tool: 'tools/call', resource: 'resources/read', prompt: 'prompts/get' } as const;

interface Wire {
  readonly app: App;
  readonly live: LiveCalls;
  readonly facts: CallFacts;
}

async function exchange(
  { app, live, facts }: Wire,
  call: WireCall & { readonly id: string },
): Promise<CallAnswer> {
  const method = METHODS[call.kind];
  const sent = { jsonrpc: '2.0', id: 1, method, params: { ...paramsOf(call), _meta: ENVELOPE } };
  const startedAt = performance.now();
  const response = await app.fetch(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        host: '127.0.0.1',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        'mcp-name': toHeader(call.name),
        [USER]: call.id,
      },
      body: JSON.stringify(sent),
    }),
  );
  const received = toMessage(await response.text());
  const ms = Math.round((performance.now() - startedAt) * 10) / 10;
  const requestId = response.headers.get('x-request-id');
  const found = live.recent().find(({ record }) => record.request_id === requestId) ?? null;
  const { cause, call: ended } = facts.take(requestId ?? '');
  const code = found?.record.error_code ?? null;
  const result = ended === null ? undefined : toTestResult(ended, received);
  const forms = { ...toForms(received), ...(result === undefined ? {} : { result }) };
  return { sent, received, status: response.status, ms, ...forms, code, cause, live: found };
}

/** The result of a call as `svc test` sees it; undefined if the call failed, or a client gets only a part of a prompt. */
function toTestResult({ kind, status, result }: CallRecord, received: JsonValue): JsonValue | undefined {
  if (status === 'error') return undefined;
  if (kind !== 'prompt') return result;
  const answer = isObject(received) && isObject(received.result) ? received.result : {};
  const messages = isList(answer.messages) ? answer.messages.map(toTestMessage) : [];
  const whole = isList(result) && result.length === messages.length;
  return whole && messages.every((message) => message !== null) ? messages : undefined;
}

/** A message of a prompt in the form of tests; null for a picture or a sound. */
function toTestMessage(message: JsonValue): JsonObject | null {
  const { role = null, content } = isObject(message) ? message : {};
  if (!isObject(content)) return null;
  if (content.type === 'text') return { role, type: 'text', prompt: content.text ?? '' };
  const { uri, text } = isObject(content.resource) ? content.resource : content;
  if (uri === undefined) return null;
  return { role, type: 'resource', prompt: uri, ...(text === undefined ? {} : { text }) };
}

/** Facts about calls that clients do not get, until the page has them. */
interface CallFacts {
  /** The same runtime, whose log and calls are heard too. */
  heardFrom(runtime: Runtime): Runtime;
  /** The reason of a failure, and the call with its whole result; null if there is none. */
  take(requestId: string): { readonly cause: string | null; readonly call: CallRecord | null };
}

/** Hears the reasons of failures, and the results. The log has no secrets and no credentials. */
function createCallFacts(): CallFacts {
  const heard = new WeakMap<Runtime, Runtime>();
  const causes = new Map<string, string>();
  const calls = new Map<string, CallRecord>();
  const hear =
    (log: Log): Log =>
    (line) => {
      const { error_id: id, causes: found } = line.fields ?? {};
      if (line.level === 'error' && typeof id === 'string') {
        causes.set(id, [line.message, ...(isList(found) ? found.map(String) : [])].join('\n'));
      }
      log(line);
    };
  // A prompt ends after the resources that it embeds, so the last call of a request is the page's own.
  const observed =
    ({ observe }: Runtime) =>
    (call: CallRecord) => {
      calls.set(call.context.requestId, call);
      observe?.(call);
    };
  return {
    heardFrom: (runtime) => {
      const known = heard.get(runtime) ?? { ...runtime, log: hear(runtime.log), observe: observed(runtime) };
      heard.set(runtime, known);
      return known;
    },
    take: (requestId) => {
      const found = { cause: causes.get(requestId) ?? null, call: calls.get(requestId) ?? null };
      causes.delete(requestId);
      calls.delete(requestId);
      return found;
    },
  };
}

const ENVELOPE = {
  [`${META}/protocolVersion`]: REVISION,
  [`${META}/clientInfo`]: { name: 'svc-workbench', version: VERSION },
  [`${META}/clientCapabilities`]: { elicitation: { form: {} }, sampling: {}, roots: {} },
};

function paramsOf({ kind, name, arguments: args, answers = {} }: WireCall): JsonObject {
  if (kind === 'resource') return { uri: name, ...answers };
  if (kind === 'tool') return { name, arguments: args, ...answers };
  // MCP's prompts take texts only.
  const texts = Object.entries(args).map(([key, value]) => [key, toTextOrJson(value)]);
  return { name, arguments: Object.fromEntries(texts), ...answers };
}

/** A text that is no plain header value travels as Base64 (SEP-2243). */
function toHeader(name: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith('=?base64?')) return name;
  return `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

/** The last message of a response, which is JSON or a stream of events. */
function toMessage(text: string): JsonValue {
  const events = text.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return JSON.parse(events.at(-1)?.slice('data:'.length) ?? text);
}

type Forms = Pick<CallAnswer, 'value' | 'text' | 'tokens' | 'failed' | 'questions'>;

function toForms(received: JsonValue): Forms {
  const message = isObject(received) ? received : {};
  const { result, error } = message;
  if (!isObject(result)) {
    const text =
      isObject(error) && typeof error.message === 'string' ? error.message : JSON.stringify(received);
    return { text, tokens: estimateTokens(text), failed: true, questions: [] };
  }
  const questions = questionsOf(result);
  if (questions.length > 0) return { text: '', tokens: 0, failed: false, questions };
  const text = textOf(result);
  const failed = result.isError === true;
  return {
    ...(failed ? {} : { value: toValue(result, text) }),
    text,
    tokens: estimateTokens(text),
    failed,
    questions,
  };
}

function questionsOf({ inputRequests }: JsonObject): CallAnswer['questions'] {
  if (!isObject(inputRequests)) return [];
  return Object.entries(inputRequests).map(([key, asked]) => toQuestion(key, isObject(asked) ? asked : {}));
}

const TEXT_FORM: JsonObject = {
  type: 'object',
  properties: { text: { type: 'string', maxLength: 100_000, description: 'Text of the model' } },
  required: ['text'],
};
const ROOTS_FORM: JsonObject = {
  type: 'object',
  properties: { roots: { type: 'array', items: { type: 'string', format: 'uri' } } },
  required: ['roots'],
};

function toQuestion(key: string, { method, params }: JsonObject): AskedQuestion {
  const { message, messages, requestedSchema } = isObject(params) ? params : {};
  if (method === 'roots/list') return { key, method, message: 'Which folders are open?', schema: ROOTS_FORM };
  if (method === 'sampling/createMessage') {
    const text = textOf({ messages: messages ?? [] });
    return { key, method, message: text, schema: TEXT_FORM };
  }
  return {
    key,
    method: 'elicitation/create',
    message: String(message ?? key),
    schema: isObject(requestedSchema) ? requestedSchema : {},
  };
}

/** The texts of a result in their order; a client shows them to its model. */
function textOf(result: JsonObject): string {
  const blocks = [result.content, result.contents, result.messages].flatMap((list) =>
    Array.isArray(list) ? list.filter(isObject) : [],
  );
  return blocks.map((block) => toBlockText(isObject(block.content) ? block.content : block)).join('\n');
}

function toBlockText(block: JsonObject): string {
  const inside = isObject(block.resource) ? block.resource : block;
  if (typeof inside.text === 'string') return inside.text;
  const bytes = inside.data ?? inside.blob;
  const size = typeof bytes === 'string' ? `, ${Math.floor((bytes.length * 3) / 4)} bytes` : '';
  return `[${String(block.type ?? 'data')} ${String(inside.mimeType ?? inside.uri ?? '')}${size}]`;
}

function toValue(result: JsonObject, text: string): JsonValue {
  if (result.structuredContent !== undefined) return result.structuredContent;
  if (Array.isArray(result.messages)) return result.messages;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
