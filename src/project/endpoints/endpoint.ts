import type { Confirm, Question, QuestionRounds } from '../elicitation-model.ts';
import type {
  Endpoint,
  EndpointCache,
  EndpointKind,
  PromptEndpoint,
  ResourceEndpoint,
  Source,
  ToolEndpoint,
} from '../model.ts';
import type { ParsedAsk, ParsedConfirm } from '../schema/elicitation.ts';
import {
  type ParsedEndpointFile,
  type ParsedPrompt,
  type ParsedResource,
  type ParsedTool,
  toPolicies,
} from '../schema/endpoint.ts';
import { present } from '../schema/shape.ts';

type Parsed = ParsedTool | ParsedResource | ParsedPrompt;

/** Facts about the file that every kind of endpoint needs. */
interface Around {
  readonly file: string;
  readonly metadata: ParsedEndpointFile['metadata'];
}

/** Converts a checked file to its endpoint and fills in defaults. */
export function toEndpoint(
  kind: EndpointKind,
  parsed: ParsedEndpointFile,
  file: string,
  source: Source | null,
): Endpoint | null {
  const around = { file, metadata: parsed.metadata };
  if (kind === 'prompt') return parsed.prompt ? toPrompt(parsed.prompt, around) : null;
  if (source === null) return null;
  if (kind === 'tool') return parsed.tool ? toTool(parsed.tool, around, source) : null;
  return parsed.resource ? toResource(parsed.resource, around, source) : null;
}

/** The defaults of `large_result`. */
const LARGE_RESULT = { rows: 100, format: 'csv', minutes: 15 } as const;

function toTool(parsed: ParsedTool, around: Around, source: Source): ToolEndpoint {
  return {
    kind: 'tool',
    name: parsed.name,
    ...shared(parsed, around),
    annotations: present(parsed.annotations ?? {}),
    mimeType: parsed.mime_type ?? null,
    content: parsed.content ?? 'value',
    format: parsed.format ?? null,
    largeResult: parsed.large_result ? { ...LARGE_RESULT, ...present(parsed.large_result) } : null,
    ...toCache(parsed),
    view: parsed.view ?? null,
    source,
  };
}

function toResource(parsed: ParsedResource, around: Around, source: Source): ResourceEndpoint {
  return {
    kind: 'resource',
    name: parsed.name ?? parsed.uri,
    uri: parsed.uri,
    mimeType: parsed.mime_type ?? null,
    ...shared(parsed, around),
    completion: parsed.completion ?? {},
    ...toCache(parsed),
    source,
  };
}

function toPrompt(parsed: ParsedPrompt, around: Around): PromptEndpoint {
  return {
    kind: 'prompt',
    name: parsed.name,
    ...shared(parsed, around),
    completion: parsed.completion ?? {},
    messages: parsed.messages.map(({ prompt, role, type }) => ({
      role: role ?? 'user',
      type: type ?? 'text',
      prompt,
    })),
  };
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `30s` is 30,000 milliseconds. */
function toCache({ cache }: ParsedTool | ParsedResource): { readonly cache?: EndpointCache } {
  if (!cache) return {};
  return { cache: { ttlMs: Number.parseInt(cache.ttl, 10) * (UNIT_MS[cache.ttl.at(-1) ?? ''] ?? 0) } };
}

function shared(parsed: Parsed, { file, metadata }: Around) {
  const { title, description, policies, limits } = parsed;
  return {
    file,
    ...present({ title, description }),
    tags: parsed.tags ?? [],
    icons: (parsed.icons ?? []).map(({ mime_type, ...icon }) => present({ ...icon, mimeType: mime_type })),
    enabled: parsed.enabled ?? true,
    scopes: parsed.scopes ?? [],
    parameters: parsed.parameters ?? [],
    returns: parsed.return ?? null,
    policies: toPolicies(policies),
    tests: (parsed.tests ?? []).map(toTest),
    limits: present(limits ?? {}),
    metadata: metadata ?? {},
    ...toElicitation(parsed),
  };
}

type ParsedTest = NonNullable<Parsed['tests']>[number];

/** `result: null` asserts null; every other key without a value is absent. */
function toTest({ result, arguments: given, ...test }: ParsedTest) {
  return { ...present(test), arguments: given ?? [], ...(result === undefined ? {} : { result }) };
}

/** Converts `confirm` and `ask` of an endpoint and fills in defaults. */
function toElicitation(parsed: {
  readonly confirm?: ParsedConfirm | null | undefined;
  readonly ask?: ParsedAsk | null | undefined;
}): { readonly confirm: Confirm | null; readonly ask: QuestionRounds } {
  const { confirm, ask } = parsed;
  return {
    confirm: confirm ? { question: confirm.question, otherwise: confirm.otherwise ?? 'deny' } : null,
    ask: (ask ?? []).map((round) => round.map(toQuestion)),
  };
}

/** The length of a model's answer if the endpoint sets none. */
const MAX_TOKENS = 1_000;

function toQuestion({ name, when, ...parsed }: ParsedAsk[number][number]): Question {
  const shared = { name, ...(when ? { when } : {}), otherwise: parsed.otherwise ?? 'deny' };
  const message = parsed.message ?? '';
  switch (parsed.kind) {
    case 'roots':
      return { kind: 'roots', ...shared };
    case 'sampling':
      return { kind: 'sampling', ...shared, message, maxTokens: parsed.max_tokens ?? MAX_TOKENS };
    default:
      return { kind: 'form', ...shared, message, fields: parsed.fields ?? [] };
  }
}
