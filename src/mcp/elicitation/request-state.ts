import * as v from 'valibot';
import { sha256 } from '../../catalog/hash.ts';
import { SvcError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import { toCanonicalText } from '../../types/canonical.ts';
import type { Sealer } from '../seal.ts';

/** The call that a state belongs to. */
export interface About {
  /** Null: nobody in particular. */
  readonly user: string | null;
  readonly method: string;
  readonly name: string;
  readonly args: JsonObject;
}

/** What a call has been told so far, while its client looks for more answers. */
export interface Told {
  /** The questions that were put. */
  readonly put: readonly string[];
  /** The answers of earlier rounds as they came, by question. */
  readonly replies: JsonObject;
}

const STATE = v.object({
  about: v.string(),
  until: v.number(),
  put: v.array(v.string()),
  replies: v.custom<JsonObject>((value) => typeof value === 'object' && value !== null),
});

const PURPOSE = 'mcp/request-state';
const LIFE_MS = 10 * 60_000;

/** Seals what a call has been told: for its user, its endpoint and its arguments only, and for ten minutes. */
export async function sealState(sealer: Sealer, about: About, told: Told, now: number): Promise<string> {
  const { put, replies } = told;
  return sealer.seal({ about: await digestOf(about), until: now + LIFE_MS, put, replies }, PURPOSE);
}

/** Opens a state that a client sent back; throws arguments_invalid for one that was not made for this very call, or is too old. */
export async function openState(sealer: Sealer, about: About, text: string, now: number): Promise<Told> {
  const opened = v.safeParse(STATE, await sealer.open(text, PURPOSE));
  if (opened.success && opened.output.until > now && opened.output.about === (await digestOf(about))) {
    return opened.output;
  }
  throw new SvcError(
    'arguments_invalid',
    'The requestState is not one that this server gave out for this call, or it is too old.',
    { detail: { reason: 'invalid_request_state' } },
  );
}

function digestOf({ user, method, name, args }: About): Promise<string> {
  const parts: JsonValue = [user, method, name, args];
  return sha256(toCanonicalText(parts));
}
