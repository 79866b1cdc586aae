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
import {
  type CallIdentity,
  LIFETIME_SECONDS,
  type OpenedState,
  openState,
  questionDigest,
  sealState,
} from './request-state.ts';
import { whileWaiting } from './waiting.ts';

/** The time that a person may take to answer. */
const PATIENCE_MS = 10 * 60_000;

/** The sealer of a process without keys. It outlives a reload, so that a person's answer still counts after it. */
let own: Sealer | null = null;

/** The sealer of the server, or one of our own. Made on first use: a Worker has no random numbers while it starts. */
export function sealerOf({ sealer }: Pick<ServerDeps, 'sealer'>): Sealer {
  const make = () =>
    createSealer({ ring: createKeyRing(parseKeys([generateKey()])), now: Date.now, notBefore: null });
  if (sealer) return sealer;
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
  if (parts.era === 'legacy') return toLegacy(ctx, caller, args);
  const about = { user: subjectOf(caller.user), method: ctx.mcpReq.method, name: keyOf(entry), args };
  return createModern(parts, ctx, about);
}

function keyOf(entry: AnyEntry): string {
  return entry.kind === 'resource' ? entry.uri : entry.name;
}

/** Asks by requests on the stream of the call, if it has one. Only a session receives the responses. */
function toLegacy(
  { mcpReq }: ServerContext,
  { session, signal, streams }: Caller,
  args: JsonObject,
): Elicitation | undefined {
  if (session === undefined || streams !== true) return undefined;
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
    ask: async (inquiries) =>
      new Map(await whileWaiting(session, args, () => Promise.all(inquiries.map(askOne)))),
  };
}

/**
 * Asks with a result that requires input: the client calls again with its answers (2026-07-28, multi round-trip
 * requests).
 */
async function createModern(
  { claimOnce, ...parts }: ServerDeps,
  { mcpReq }: ServerContext,
  about: CallIdentity,
): Promise<Elicitation> {
  const sealer = sealerOf(parts);
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {};
  const state = mcpReq.requestState();
  const before: OpenedState =
    typeof state === 'string' ? await openState(sealer, about, state) : { id: '', put: {}, replies: {} };
  // A later round cannot replace the answer of an earlier one: the person has seen questions that name it.
  const sent = { ...(mcpReq.inputResponses as JsonObject | undefined), ...before.replies };
  const kept: { [key: string]: JsonValue } = {};
  const isAsked = async (inquiry: ElicitationRequest): Promise<boolean> =>
    inquiry.kind !== 'form' ||
    !inquiry.binding ||
    (Object.hasOwn(before.put, inquiry.key) && before.put[inquiry.key] === (await questionDigest(inquiry)));
  return {
    can: (kind) => canAnswer(envelope[CLIENT_CAPABILITIES_META_KEY] as JsonValue, kind),
    ask: async (inquiries) => {
      const replies = new Map<string, ElicitationReply>();
      for (const inquiry of inquiries) {
        if (!Object.hasOwn(sent, inquiry.key) || !(await isAsked(inquiry))) continue;
        const reply = readReply(inquiry, sent[inquiry.key]);
        if (reply === undefined) continue;
        replies.set(inquiry.key, reply);
        kept[inquiry.key] = sent[inquiry.key] ?? null;
      }
      const missing = inquiries.filter(({ key }) => !replies.has(key));
      if (missing.length === 0) {
        if (inquiries.some(isBinding)) await enforceFirstUse(before.id, claimOnce);
        return replies;
      }
      const shown = await Promise.all(
        missing.map(async (one) => [one.key, await questionDigest(one)] as const),
      );
      const put = { ...before.put, ...Object.fromEntries(shown) };
      const requestState = await sealState(sealer, about, { put, replies: kept });
      throw toInputRequired(missing, requestState);
    },
  };
}

function isBinding(inquiry: ElicitationRequest): boolean {
  return inquiry.kind === 'form' && inquiry.binding;
}

/** The most states that a process remembers; the oldest are forgotten first. */
const MAX_USED = 100_000;

/** The used states of this process, with the time at which each one expires by itself. */
const used = new Map<string, number>();

/**
 * Throws arguments_invalid for a state with which a call was confirmed before. A store tells for all instances; without one,
 * each process knows its own.
 */
async function enforceFirstUse(id: string, claimOnce: ServerDeps['claimOnce']): Promise<void> {
  const now = Date.now();
  for (const [old, end] of used) {
    if (end > now && used.size < MAX_USED) break;
    used.delete(old);
  }
  const isFirst = !used.has(id);
  used.set(id, now + LIFETIME_SECONDS * 1000);
  if (isFirst && (await (claimOnce?.(`confirmed:${id}`, LIFETIME_SECONDS) ?? true))) return;
  throw new SvcError(
    'arguments_invalid',
    'The requestState was used before: each confirmation is for one call. Nothing was done. Call again without it.',
    { detail: { reason: 'invalid_request_state' } },
  );
}

function toInputRequired(missing: readonly ElicitationRequest[], requestState: string): SvcError {
  const requests = missing.map((inquiry) => [inquiry.key, toProtocolRequest(inquiry)] as const);
  return new SvcError('input_required', 'The call needs answers first.', {
    detail: { resultType: 'input_required', inputRequests: Object.fromEntries(requests), requestState },
  });
}
