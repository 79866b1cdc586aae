import * as v from 'valibot';
import type { ElicitationReply, ElicitationRequest } from '../../context.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json.ts';

/** The capability that each kind of question needs. */
const CAPABILITIES = { form: 'elicitation', sampling: 'sampling', roots: 'roots' } as const;

const KINDS = ['form', 'sampling', 'roots'] as const satisfies readonly ElicitationRequest['kind'][];

/** Whether a client declared that it answers a kind of question. */
export function canAnswer(capabilities: JsonValue | undefined, kind: ElicitationRequest['kind']): boolean {
  const declared = isObject(capabilities) ? capabilities[CAPABILITIES[kind]] : undefined;
  if (!isObject(declared)) return false;
  // A client may show addresses to open, and no forms.
  return kind !== 'form' || declared.form !== undefined || declared.url === undefined;
}

/** The kinds of question that a client declared to answer. */
export function answeredKinds(capabilities: JsonValue | undefined): readonly ElicitationRequest['kind'][] {
  return KINDS.filter((kind) => canAnswer(capabilities, kind));
}

/** Turns a question into the protocol's form: a legacy request, or an entry of `inputRequests` in the modern era. */
export function toProtocolRequest(inquiry: ElicitationRequest) {
  switch (inquiry.kind) {
    case 'form': {
      const { message, schema } = inquiry;
      return { method: 'elicitation/create', params: { message, requestedSchema: schema } } as const;
    }
    case 'sampling': {
      const { message: text, maxTokens } = inquiry;
      const messages = [{ role: 'user', content: { type: 'text', text } }] as const;
      return { method: 'sampling/createMessage', params: { messages: [...messages], maxTokens } } as const;
    }
    case 'roots':
      return { method: 'roots/list', params: {} } as const;
  }
}

const ELICITED = v.object({
  action: v.picklist(['accept', 'decline', 'cancel']),
  content: v.nullish(v.record(v.string(), v.unknown()), {}),
});
const TEXT = v.object({ type: v.literal('text'), text: v.string() });
const SAMPLED = v.object({ content: v.union([TEXT, v.array(v.looseObject({ type: v.string() }))]) });
const LISTED = v.object({ roots: v.array(v.looseObject({ uri: v.string() })) });

/** An answer is none after its first problem, and a list may have many. */
const FIRST = { abortEarly: true };

/** Parses a client's answer; undefined if it does not answer this question. */
export function readReply(inquiry: ElicitationRequest, raw: unknown): ElicitationReply | undefined {
  if (inquiry.kind === 'form') {
    const read = v.safeParse(ELICITED, raw, FIRST);
    if (!read.success) return undefined;
    const { action, content } = read.output;
    return action === 'accept' ? { values: (content ?? {}) as JsonObject } : null;
  }
  const value = inquiry.kind === 'sampling' ? textOf(raw) : urisOf(raw);
  return value === undefined ? undefined : { values: { [inquiry.key]: value } };
}

function textOf(raw: unknown): string | undefined {
  const read = v.safeParse(SAMPLED, raw, FIRST);
  if (!read.success) return undefined;
  const blocks = [read.output.content].flat();
  return blocks.flatMap((block) => (v.is(TEXT, block) ? [block.text] : [])).join('\n');
}

function urisOf(raw: unknown): readonly string[] | undefined {
  const read = v.safeParse(LISTED, raw, FIRST);
  return read.success ? read.output.roots.map(({ uri }) => uri) : undefined;
}
