import * as v from 'valibot';
import { CLAIMS, type Claims, fromUpstream, toUpstream, UPSTREAM } from './claims.ts';
import { labelOf } from './held-scopes.ts';
import { narrowScopes } from './scopes.ts';
import { admitUser } from './session-renewal.ts';
import { STORE_ISSUER, sealRecord } from './sessions.ts';
import type { AuthServer } from './types.ts';
import { type LoginAttempt, originOf, type UpstreamTokens } from './upstream/provider.ts';

/** An authorization code. Without a store it contains the provider's code, which is redeemed together with ours. */
export const CODE = v.object({
  h: v.string(),
  r: v.string(),
  k: v.string(),
  sc: v.array(v.string()),
  /** The provider's code, with its PKCE verifier and nonce; null if the store holds the completed login. */
  up: v.nullable(v.object({ c: v.string(), v: v.string(), n: v.string() })),
  /** The id of the code and of the session that it opens. */
  id: v.string(),
});

/** A login that the provider has confirmed, of a user who may use the server. */
export interface CompletedLogin {
  readonly who: Claims;
  /** The requested scopes that the user holds. */
  readonly scopes: readonly string[];
  readonly tokens: UpstreamTokens;
}

/** The provider's answer to a login attempt. */
interface ProviderCode extends Omit<LoginAttempt, 'state'> {
  readonly code: string;
  /** The requested scopes. */
  readonly scopes: readonly string[];
}

/** Redeems the provider's code. Throws denied for a user who may not use the server, scope_invalid if no scope is left. */
export async function completeLogin(
  server: AuthServer,
  { code, scopes, ...attempt }: ProviderCode,
  signal: AbortSignal,
): Promise<CompletedLogin> {
  const { provider } = server;
  const tokens = await provider.exchange(code, attempt, signal);
  const identity = await provider.identify(tokens, attempt.nonce, signal);
  const { who, held } = await admitUser(server, { identity, tokens }, signal);
  return { who, scopes: narrowScopes(scopes, held, labelOf(identity)), tokens };
}

const STORED = v.object({ idp: v.string(), who: CLAIMS, sc: v.array(v.string()), up: UPSTREAM });

const loginKey = (id: string) => `login:${id}`;

/** Stores a login until the client redeems its code. */
export async function storeLogin(
  server: AuthServer,
  id: string,
  { login: { who, scopes, tokens }, seconds }: { readonly login: CompletedLogin; readonly seconds: number },
): Promise<void> {
  const up = toUpstream(tokens, server.now());
  const record = { idp: originOf(server.provider), who, sc: [...scopes], up };
  await server.store?.put(loginKey(id), await sealRecord(server, record, seconds), { seconds });
}

/** Takes a login out of the store; null if it is not there, or belongs to another provider. */
export async function takeLogin(
  { store, sealer, provider }: AuthServer,
  id: string,
): Promise<CompletedLogin | null> {
  const stored = await store?.get(loginKey(id));
  if (!stored) return null;
  await store?.delete(loginKey(id));
  const login = await sealer.open('store', STORE_ISSUER, stored.value, STORED);
  if (login?.idp !== originOf(provider)) return null;
  return { who: login.who, scopes: login.sc, tokens: fromUpstream(login.up) };
}

/** Seconds for which a used code is remembered: its lifetime, and minutes by which clocks of instances may differ. */
const REMEMBERED_SECONDS = 600;
/** The value that marks a code whose session must end. */
const SPOILT = 'spoilt';

const codeKey = (id: string) => `code:${id}`;

/** Claims a code; true only for the first use. Without a store, the provider's own code works only once. */
export async function claimCode({ store }: AuthServer, id: string): Promise<boolean> {
  return store === null || store.claimOnce(codeKey(id), REMEMBERED_SECONDS);
}

/**
 * Marks a code as spoilt. A request that is redeeming it at the moment then ends the session that it opens. That session
 * cannot be deleted from here, because it may not exist yet.
 */
export async function spoilCode({ store }: AuthServer, id: string): Promise<void> {
  await store?.put(codeKey(id), SPOILT, { seconds: REMEMBERED_SECONDS });
}

/** Whether a code was used twice, or its browser has signed out. */
export async function isSpoilt({ store }: AuthServer, id: string): Promise<boolean> {
  return (await store?.get(codeKey(id)))?.value === SPOILT;
}
