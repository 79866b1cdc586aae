import * as v from 'valibot';
import { randomText } from '../crypto/digest.ts';
import { SvcError } from '../errors.ts';
import { CLAIMS, type Claims, toUpstream } from './claims.ts';
import { ABSOLUTE_SECONDS, IDLE_SECONDS, type LoginSession, writeSession } from './sessions.ts';
import type { AuthServer, OAuthClient, OAuthRequest } from './types.ts';
import { originOf, type UpstreamTokens } from './upstream/provider.ts';

/** An access token. With a store it refers to a session; without one it holds all facts about the user. */
export const ACCESS = v.object({
  aud: v.string(),
  h: v.string(),
  sc: v.array(v.string()),
  /** The ids of the token and of its session. */
  id: v.string(),
  sid: v.string(),
  /** The identity provider, as `originOf` names it; null if the token is the client's own. */
  idp: v.nullable(v.string()),
  /** The user's claims; absent if the session holds them. */
  who: v.optional(CLAIMS),
  /** The provider's token, and the time when it expires. */
  up: v.optional(v.object({ t: v.string(), e: v.nullable(v.number()) })),
});

/** A refresh token: its session, its generation and its client. */
export const REFRESH = v.object({ sid: v.string(), g: v.number(), h: v.string() });

/** A response of the token endpoint (RFC 6749, 5.1). */
export type TokenResponse = {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
};

const LIFE_SECONDS = 3_600;
/** Some clients and proxies refuse headers above 8 KB. */
const MAX_TOKEN = 6_144;
const LARGE_TOKEN = 4_096;

/** The facts of a completed login. */
interface SignIn {
  readonly client: OAuthClient;
  readonly scopes: readonly string[];
  readonly sid: string;
  readonly who: Claims;
  readonly tokens: UpstreamTokens;
}

/** Issues the tokens of a new login. */
export async function issueTokens(
  server: AuthServer,
  oauth: OAuthRequest,
  signIn: SignIn,
): Promise<TokenResponse> {
  const { client, scopes, sid, who, tokens } = signIn;
  const up = toUpstream(tokens, server.now());
  const common = { client: client.hash, scopes, sid };
  if (server.store === null) {
    const seconds = lifetimeOf(server, up.e);
    const held = { who, up: { t: up.a, e: up.e } };
    return toTokenResponse(await sealAccess(server, oauth, { ...common, ...held, seconds }), scopes, seconds);
  }
  const refreshes = client.grantTypes.includes('refresh_token');
  const rt = refreshes ? await sealRefresh(server, oauth, { sid, g: 0, h: client.hash }) : null;
  const end = Math.floor(server.now() / 1000) + ABSOLUTE_SECONDS;
  const own = { h: client.hash, idp: originOf(server.provider), sc: [...scopes] };
  const session = { ...own, g: 0, ag: 0, at: server.now(), rt, who, up, known: true, end };
  await writeSession(server, sid, session, 0);
  return issueForSession(server, oauth, { sid, session, scopes });
}

/** Issues an access token for a stored session. */
export async function issueForSession(
  server: AuthServer,
  oauth: OAuthRequest,
  {
    sid,
    session,
    scopes,
  }: { readonly sid: string; readonly session: LoginSession; readonly scopes: readonly string[] },
): Promise<TokenResponse> {
  const seconds = session.up.r === null ? lifetimeOf(server, session.up.e) : LIFE_SECONDS;
  const access = await sealAccess(server, oauth, { client: session.h, scopes, sid, seconds });
  return {
    ...toTokenResponse(access, scopes, seconds),
    ...(session.rt === null ? {} : { refresh_token: session.rt }),
  };
}

/** Issues a token for the client itself (RFC 6749, 4.4). */
export async function issueClientToken(
  server: AuthServer,
  oauth: OAuthRequest,
  client: OAuthClient,
  scopes: readonly string[],
): Promise<TokenResponse> {
  const empty = {
    em: null,
    nm: client.name,
    gr: [],
    rl: null,
    pm: [],
    cp: [],
    cl: {},
    dm: [],
    og: [],
    rc: {},
  };
  const who = { i: `client:${client.id}`, un: client.id, ...empty };
  const fields = { client: client.hash, scopes, sid: randomText(16), who, seconds: LIFE_SECONDS, own: true };
  return toTokenResponse(await sealAccess(server, oauth, fields), scopes, LIFE_SECONDS);
}

/** Makes a refresh token, which expires after 30 days without use. */
export function sealRefresh(
  { sealer }: AuthServer,
  { urls }: OAuthRequest,
  claims: v.InferOutput<typeof REFRESH>,
): Promise<string> {
  return sealer.seal('refresh', urls.issuer, { ...claims, id: randomText(16) }, IDLE_SECONDS);
}

/** The seconds until the provider's token expires, at most an hour. */
function lifetimeOf({ now }: AuthServer, upstreamEnd: number | null): number {
  if (upstreamEnd === null) return LIFE_SECONDS;
  const left = Math.floor(upstreamEnd - now() / 1000);
  if (left > 0) return Math.min(LIFE_SECONDS, left);
  throw new SvcError('login_refused', 'The provider issued a token that has already expired.');
}

interface Access {
  readonly client: string;
  readonly scopes: readonly string[];
  readonly sid: string;
  readonly seconds: number;
  readonly who?: Claims;
  readonly up?: { readonly t: string; readonly e: number | null };
  /** Whether the token is the client's own. */
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
    idp: own ? null : originOf(provider),
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
    `The provider's claims make an access token of ${length} characters, more than clients can send (${MAX_TOKEN}); ${SMALLER}`,
  );
}

function toTokenResponse(token: string, scopes: readonly string[], seconds: number): TokenResponse {
  return { access_token: token, token_type: 'Bearer', expires_in: seconds, scope: scopes.join(' ') };
}
