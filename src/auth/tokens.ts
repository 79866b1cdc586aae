import * as v from 'valibot';
import { randomText } from '../crypto/digest.ts';
import { SvcError } from '../errors.ts';
import { CLAIMS, type Claims, toClaims, toUpstream } from './claims.ts';
import type { OAuthClient } from './clients/model.ts';
import { ABSOLUTE_SECONDS, IDLE_SECONDS, type LoginSession, writeSession } from './sessions.ts';
import type { AuthServer, OAuthRequest } from './types.ts';
import type { Identity, UpstreamTokens } from './upstream/provider.ts';

/** An access token: with a store a handle, without one everything that a request needs. */
export const ACCESS = v.object({
  aud: v.string(),
  h: v.string(),
  sc: v.array(v.string()),
  /** The token's own id, and the session's. */
  id: v.string(),
  sid: v.string(),
  /** Null: the client itself. */
  idp: v.nullable(v.string()),
  /** Absent where the session has it. */
  who: v.optional(CLAIMS),
  /** The provider's token, and when it ends. */
  up: v.optional(v.object({ t: v.string(), e: v.nullable(v.number()) })),
});

/** A refresh token: which session, and which generation of it. */
export const REFRESH = v.object({ sid: v.string(), g: v.number(), h: v.string() });

/** An answer of the token endpoint (RFC 6749, 5.1). */
export type TokenAnswer = {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
};

const LIFE_SECONDS = 3_600;
/** Some clients and proxies refuse headers from 8 KB on. */
const MAX_TOKEN = 6_144;
const LARGE_TOKEN = 4_096;

/** What a new sign-in consists of. */
export interface SignIn {
  readonly client: OAuthClient;
  readonly scopes: readonly string[];
  readonly sid: string;
  readonly identity: Identity;
  readonly tokens: UpstreamTokens;
}

/** The tokens of a new sign-in. */
export async function issueTokens(
  server: AuthServer,
  exchange: OAuthRequest,
  signIn: SignIn,
): Promise<TokenAnswer> {
  const { client, scopes, sid, identity, tokens } = signIn;
  const [who, up] = [toClaims(identity), toUpstream(tokens, server.now())];
  const common = { client: client.hash, scopes, sid };
  if (server.store === null) {
    const seconds = lifeOf(server, up.e);
    const held = { who, up: { t: up.a, e: up.e } };
    return toAnswer(await sealAccess(server, exchange, { ...common, ...held, seconds }), scopes, seconds);
  }
  const refreshes = client.grantTypes.includes('refresh_token');
  const rt = refreshes ? await sealRefresh(server, exchange, { sid, g: 0, h: client.hash }) : null;
  const end = Math.floor(server.now() / 1000) + ABSOLUTE_SECONDS;
  const own = { h: client.hash, idp: server.provider.id, sc: [...scopes] };
  const session = { ...own, g: 0, at: server.now(), rt, who, up, known: true, end };
  await writeSession(server, sid, session, 0);
  return answerFor(server, exchange, { sid, session, scopes });
}

/** The answer with an access token for a session that is kept. */
export async function answerFor(
  server: AuthServer,
  exchange: OAuthRequest,
  {
    sid,
    session,
    scopes,
  }: { readonly sid: string; readonly session: LoginSession; readonly scopes: readonly string[] },
): Promise<TokenAnswer> {
  const seconds = session.up.r === null ? lifeOf(server, session.up.e) : LIFE_SECONDS;
  const access = await sealAccess(server, exchange, { client: session.h, scopes, sid, seconds });
  return {
    ...toAnswer(access, scopes, seconds),
    ...(session.rt === null ? {} : { refresh_token: session.rt }),
  };
}

/** A token for the client itself (RFC 6749, 4.4). */
export async function issueClientToken(
  server: AuthServer,
  exchange: OAuthRequest,
  client: OAuthClient,
  scopes: readonly string[],
): Promise<TokenAnswer> {
  const nobody = { em: null, nm: client.name, gr: [], rl: null, pm: [], cp: [], cl: {} };
  const who = { i: `client:${client.id}`, un: client.id, ...nobody };
  const fields = { client: client.hash, scopes, sid: randomText(16), who, seconds: LIFE_SECONDS, own: true };
  return toAnswer(await sealAccess(server, exchange, fields), scopes, LIFE_SECONDS);
}

/** A refresh token, good until it has not been used for 30 days. */
export function sealRefresh(
  { sealer }: AuthServer,
  { urls }: OAuthRequest,
  claims: v.InferOutput<typeof REFRESH>,
): Promise<string> {
  return sealer.seal('refresh', urls.issuer, { ...claims, id: randomText(16) }, IDLE_SECONDS);
}

/** As long as the provider's token, an hour at most. */
function lifeOf({ now }: AuthServer, upstreamEnd: number | null): number {
  if (upstreamEnd === null) return LIFE_SECONDS;
  const left = Math.floor(upstreamEnd - now() / 1000);
  if (left > 0) return Math.min(LIFE_SECONDS, left);
  throw new SvcError('login_refused', 'The provider gave a token that is already over.');
}

interface Access {
  readonly client: string;
  readonly scopes: readonly string[];
  readonly sid: string;
  readonly seconds: number;
  readonly who?: Claims;
  readonly up?: { readonly t: string; readonly e: number | null };
  /** The client's own, of no provider. */
  readonly own?: boolean;
}

async function sealAccess(
  { sealer, provider, log }: AuthServer,
  { urls }: OAuthRequest,
  { client, scopes, sid, seconds, who, up, own = false }: Access,
): Promise<string> {
  const claims = {
    aud: urls.resource,
    h: client,
    sc: scopes,
    id: randomText(16),
    sid,
    idp: own ? null : provider.id,
    ...(who && { who }),
    ...(up && { up }),
  };
  const token = await sealer.seal('access', urls.issuer, claims, seconds);
  if (token.length > MAX_TOKEN) throw tooLarge(token.length);
  if (token.length > LARGE_TOKEN) {
    log({ level: 'warn', message: `an access token has ${token.length} characters; ${SMALLER}` });
  }
  return token;
}

const SMALLER = 'set `auth.persistence`, so that sessions are stored and tokens stay small.';

function tooLarge(length: number): SvcError {
  return new SvcError(
    'config_invalid',
    `What the provider gave makes an access token of ${length} characters, more than clients can send (${MAX_TOKEN}); ${SMALLER}`,
  );
}

function toAnswer(token: string, scopes: readonly string[], seconds: number): TokenAnswer {
  return { access_token: token, token_type: 'Bearer', expires_in: seconds, scope: scopes.join(' ') };
}
