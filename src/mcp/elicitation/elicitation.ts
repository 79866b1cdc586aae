import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import type { AnyEntry } from '../../catalog/model.ts';
import type { Elicitation, ElicitationReply, ElicitationRequest } from '../../context.ts';
import { createKeyRing, generateKey, parseKeys } from '../../crypto/keys.ts';
import { createSealer, type Sealer } from '../../crypto/seal.ts';
import { SvcError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { Caller, ServerDeps } from '../context.ts';
import { subjectOf } from '../sessions/sessions.ts';
import { canAnswer, readReply, toProtocolRequest } from './questions.ts';
import { type CallIdentity, openState, type Rounds, sealState } from './request-state.ts';

/** The time that a person may take to answer. */
const PATIENCE_MS = 10 * 60_000;

/** The sealer of a process without keys. It outlives a reload, so that a person's answer still counts after it. */
let own: Sealer | null = null;

/** Made on first use: a Worker has no random numbers while it starts. */
function ownSealer(): Sealer {
  const make = () =>
    createSealer({ ring: createKeyRing(parseKeys([generateKey()])), now: Date.now, notBefore: null });
  own ??= make();
  return own;
}

/**
 * Makes the elicitation of a call whose endpoint asks something; undefined if its client cannot be asked. Throws
 * arguments_invalid for the state of another call.
 */
export async function elicitationOf(
  parts: ServerDeps,
  ctx: ServerContext,
  entry: AnyEntry,
  args: JsonObject,
): Promise<Elicitation | undefined> {
  const caller = parts.callerOf(ctx);
  if (parts.era === 'legacy') return toLegacy(ctx, caller);
  const about = { user: subjectOf(caller.user), method: ctx.mcpReq.method, name: keyOf(entry), args };
  return createModern(parts.sealer?.() ?? ownSealer(), ctx, about);
}

function keyOf(entry: AnyEntry): string {
  return entry.kind === 'resource' ? entry.uri : entry.name;
}

/** Asks by requests on the stream of the call. Only a session receives the responses. */
function toLegacy({ mcpReq }: ServerContext, { session, signal }: Caller): Elicitation | undefined {
  if (session === undefined) return undefined;
  const options = { timeout: PATIENCE_MS, signal };
  const askOne = async (inquiry: ElicitationRequest): Promise<[string, ElicitationReply]> => {
    const raw = await mcpReq.send(toProtocolRequest(inquiry), options).catch((cause: unknown) => {
      throw new SvcError('denied', 'The client did not answer the question. Nothing was done.', {
        cause,
      });
    });
    const reply = readReply(inquiry, raw);
    if (reply !== undefined) return [inquiry.key, reply];
    throw new SvcError('denied', 'The client answered something else than it was asked. Nothing was done.');
  };
  return {
    can: (kind) => session.answers.includes(kind),
    ask: async (inquiries) => new Map(await Promise.all(inquiries.map(askOne))),
  };
}

/**
 * Asks with a result that requires input: the client calls again with its answers (2026-07-28, multi round-trip
 * requests).
 */
async function createModern(
  sealer: Sealer,
  { mcpReq }: ServerContext,
  about: CallIdentity,
): Promise<Elicitation> {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {};
  const state = mcpReq.requestState();
  const before: Rounds =
    typeof state === 'string' ? await openState(sealer, about, state) : { put: [], replies: {} };
  const sent = { ...before.replies, ...(mcpReq.inputResponses as JsonObject | undefined) };
  const kept: { [key: string]: JsonValue } = {};
  const replyTo = (inquiry: ElicitationRequest): ElicitationReply | undefined => {
    if (inquiry.kind === 'form' && inquiry.binding && !before.put.includes(inquiry.key)) return undefined;
    return Object.hasOwn(sent, inquiry.key) ? readReply(inquiry, sent[inquiry.key]) : undefined;
  };
  return {
    can: (kind) => canAnswer(envelope[CLIENT_CAPABILITIES_META_KEY] as JsonValue, kind),
    ask: async (inquiries) => {
      const replies = new Map<string, ElicitationReply>();
      for (const inquiry of inquiries) {
        const reply = replyTo(inquiry);
        if (reply === undefined) continue;
        replies.set(inquiry.key, reply);
        kept[inquiry.key] = sent[inquiry.key] ?? null;
      }
      const missing = inquiries.filter(({ key }) => !replies.has(key));
      if (missing.length === 0) return replies;
      const put = [...new Set([...before.put, ...missing.map(({ key }) => key)])];
      const requestState = await sealState(sealer, about, { put, replies: kept });
      throw toInputRequired(missing, requestState);
    },
  };
}

function toInputRequired(missing: readonly ElicitationRequest[], requestState: string): SvcError {
  const requests = missing.map((inquiry) => [inquiry.key, toProtocolRequest(inquiry)] as const);
  return new SvcError('input_required', 'The call needs answers first.', {
    detail: { resultType: 'input_required', inputRequests: Object.fromEntries(requests), requestState },
  });
}
