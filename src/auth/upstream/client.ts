import { CodeChallengeMethod, OAuth2Client } from 'arctic';
import { isObject, type JsonObject } from '../../json.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import { basic } from './basic.ts';
import { type ProviderStep, unavailable } from './errors.ts';
import { textOf } from './field.ts';
import type { LoginAttempt, ProviderPorts, UpstreamTokens } from './provider.ts';
import { createAsk, type ProviderResponse, type SendToProvider } from './request.ts';
import { toTokenFailure } from './token-errors.ts';
import { toTokens } from './tokens.ts';

/** Where a provider does what. */
export interface Endpoints {
  readonly authorize: string;
  readonly token: string;
  /** Null: tokens cannot be ended. */
  readonly revoke: string | null;
  /** How the client proves itself: HTTP Basic, in a form, or in a JSON body. */
  readonly authentication: 'basic' | 'body' | 'json';
  /** Whether a token alone is enough to end it. */
  readonly openRevocation?: boolean;
}

/** How a provider differs from any other. */
export interface ProviderClientOptions {
  /** The provider's name as people know it. */
  readonly provider: string;
  readonly scopes: readonly string[];
  readonly endpoints: (signal: AbortSignal) => Promise<Endpoints>;
  /** What the authorization URL carries beside the standard parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether the provider gives id tokens, and so takes a nonce. */
  readonly openid: boolean;
  /** Fields of the token response that are needed later. */
  readonly keep?: readonly string[];
  /** The provider's own way of saying that a refresh token is dead. */
  readonly isDead?: (answer: ProviderResponse) => boolean;
}

/** The OAuth client at a provider. */
export interface ProviderClient {
  readonly ask: SendToProvider;
  authorizationUrl(trip: LoginAttempt): Promise<URL>;
  exchange(code: string, trip: Omit<LoginAttempt, 'state'>, signal: AbortSignal): Promise<UpstreamTokens>;
  refresh(refreshToken: string, signal: AbortSignal): Promise<UpstreamTokens>;
  revoke(tokens: UpstreamTokens, signal: AbortSignal): Promise<void>;
}

/** The part of a provider that is plain OAuth 2.0 with PKCE (RFC 6749, 7636, 7009). */
export function createProviderClient(
  block: ProviderBlock,
  ports: ProviderPorts,
  options: ProviderClientOptions,
): ProviderClient {
  const ask = createAsk(ports);
  const post = createPost(block, ask, options);
  const token = async (fields: Fields, what: string, signal: AbortSignal): Promise<UpstreamTokens> => {
    const step = { provider: options.provider, what };
    const { token: url, authentication } = await options.endpoints(signal);
    const answer = await post({ ...step, url, authentication, fields, signal });
    const dead = fields.grant_type === 'refresh_token' && options.isDead?.(answer);
    return toTokens(enforceTokens(answer, step, dead ? 'invalid_grant' : null), ports.now(), options.keep);
  };
  return {
    ask,
    authorizationUrl: (trip) => toAuthorizationUrl(block, options, trip),
    exchange: (code, { redirectUri, verifier }, signal) => {
      const fields = { code, redirect_uri: redirectUri, code_verifier: verifier };
      return token({ grant_type: 'authorization_code', ...fields }, 'the code', signal);
    },
    refresh: async (refreshToken, signal) => {
      const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const fresh = await token(fields, 'the refresh token', signal);
      return { ...fresh, refreshToken: fresh.refreshToken ?? refreshToken };
    },
    revoke: async ({ refreshToken, accessToken }, signal) => {
      const { revoke: url, authentication, openRevocation } = await options.endpoints(signal);
      if (url === null) return;
      const [token, hint] = refreshToken ? [refreshToken, 'refresh_token'] : [accessToken, 'access_token'];
      const fields = openRevocation ? { token } : { token, token_type_hint: hint };
      const step = { provider: options.provider, what: 'the end of a token' };
      const proof = openRevocation ? 'none' : authentication;
      const answer = await post({ ...step, url, authentication: proof, fields, signal });
      const gone = isObject(answer.body) && answer.body.error === 'invalid_token';
      if (answer.status >= 300 && !gone) throw unavailable(step, `answered ${answer.status}`);
    },
  };
}

type Fields = Readonly<Record<string, string>>;

interface Post extends ProviderStep {
  readonly authentication: Endpoints['authentication'] | 'none';
  readonly url: string;
  readonly fields: Fields;
  readonly signal: AbortSignal;
}

/** arctic's own requests can be given no deadline, no bound and no way around redirects, so ours go out here. */
function createPost(
  { client_id, client_secret }: ProviderBlock,
  ask: SendToProvider,
  { provider }: ProviderClientOptions,
) {
  return ({ what, url, authentication, fields, signal }: Post): Promise<ProviderResponse> => {
    const proven = authentication === 'basic' && client_secret !== null;
    const named = { ...fields, client_id, ...(client_secret && { client_secret }) };
    const all = proven || authentication === 'none' ? fields : named;
    const json = authentication === 'json';
    return ask({
      provider,
      what,
      url,
      method: 'POST',
      headers: {
        'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded',
        ...(proven && { authorization: basic(client_id, client_secret) }),
      },
      body: json ? JSON.stringify(all) : new URLSearchParams(all).toString(),
      signal,
    });
  };
}

function enforceTokens(answer: ProviderResponse, step: ProviderStep, dead: string | null): JsonObject {
  const { status, body } = answer;
  const fields = isObject(body) ? body : {};
  const error = dead ?? textOf(fields, 'error');
  if (error !== null || status >= 300) throw toTokenFailure(answer, error, step);
  const type = textOf(fields, 'token_type') ?? 'bearer';
  if (textOf(fields, 'access_token') !== null && type.toLowerCase() === 'bearer') return fields;
  throw unavailable(step, 'gave an answer without a bearer token');
}

async function toAuthorizationUrl(
  block: ProviderBlock,
  { scopes, endpoints, parameters, openid }: ProviderClientOptions,
  { state, verifier, nonce, redirectUri }: LoginAttempt,
): Promise<URL> {
  const { authorize } = await endpoints(new AbortController().signal);
  const client = new OAuth2Client(block.client_id, null, redirectUri);
  const url = client.createAuthorizationURLWithPKCE(authorize, state, CodeChallengeMethod.S256, verifier, [
    ...scopes,
  ]);
  if (openid) url.searchParams.set('nonce', nonce);
  for (const [name, value] of Object.entries({ ...parameters, ...block.extra_authorize_params })) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, value);
  }
  return url;
}
