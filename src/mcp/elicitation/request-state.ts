import * as v from 'valibot';
import type { ElicitationRequest } from '../../context.ts';
import { sha256Hex } from '../../crypto/digest.ts';
import type { Sealer } from '../../crypto/seal.ts';
import { SvcError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { toCanonicalText } from '../../types/canonical.ts';

/** The call that a state belongs to. */
export interface CallIdentity {
  /** Null for an anonymous caller. */
  readonly user: string | null;
  readonly method: string;
  readonly name: string;
  readonly args: JsonObject;
}

/** The rounds of questions that a call has had so far. */
export interface Rounds {
  /** The questions asked so far: the digest of each as it was shown, by key. */
  readonly put: { readonly [key: string]: string };
  /** The answers of earlier rounds as they came, by question. */
  readonly replies: JsonObject;
}

/** The rounds of a state that a client sent back. */
export interface OpenedState extends Rounds {
  /** Differs in every state. */
  readonly id: string;
}

const STATE = v.object({
  about: v.string(),
  id: v.string(),
  put: v.record(v.string(), v.string()),
  replies: v.custom<JsonObject>((value) => typeof value === 'object' && value !== null),
});

/** Every instance with the keys can continue the call, whatever address it is known by. */
const ISSUER = '';
export const LIFETIME_SECONDS = 600;

/** Seals the rounds of a call for ten minutes, bound to its user, its endpoint and its arguments. */
export async function sealState(sealer: Sealer, about: CallIdentity, told: Rounds): Promise<string> {
  const { put, replies } = told;
  const state = { about: await digestOf(about), id: crypto.randomUUID(), put, replies };
  return sealer.seal('ask', ISSUER, state, LIFETIME_SECONDS);
}

/**
 * Opens a state that a client sent back; throws arguments_invalid for one that was not made for this very call, or
 * is too old.
 */
export async function openState(sealer: Sealer, about: CallIdentity, text: string): Promise<OpenedState> {
  const opened = await sealer.open('ask', ISSUER, text, STATE);
  if (opened !== null && opened.about === (await digestOf(about))) return opened;
  throw new SvcError(
    'arguments_invalid',
    'The requestState is not one that this server gave out for this call, or it is too old.',
    { detail: { reason: 'invalid_request_state' } },
  );
}

/** The digest of a question as its person sees it. */
export function questionDigest(inquiry: ElicitationRequest): Promise<string> {
  return sha256Hex(toCanonicalText({ ...inquiry } as JsonObject));
}

function digestOf({ user, method, name, args }: CallIdentity): Promise<string> {
  const parts: JsonValue = [user, method, name, args];
  return sha256Hex(toCanonicalText(parts));
}
