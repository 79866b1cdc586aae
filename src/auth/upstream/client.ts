import { CodeChallengeMethod, OAuth2Client } from 'arctic';
import { isObject, type JsonObject, textOf } from '../../json.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import { type ProviderStep, unavailable } from './errors.ts';
import type { LoginAttempt, ProviderPorts, UpstreamTokens } from './provider.ts';
import { basicAuthorization, createSend, type ProviderResponse, type SendToProvider } from './request.ts';
import { toTokenFailure, toTokens } from './token-response.ts';

/** A provider's OAuth endpoints. */
export interface Endpoints {
  readonly authorize: string;
  readonly token: string;
  /** Null if the provider cannot revoke tokens. */
  readonly revoke: string | null;
  /** The place of the client's credentials: HTTP Basic, a form, or a JSON body. */
  readonly authentication: 'basic' | 'body' | 'json';
  /** Whether revocation needs no client credentials. */
  readonly openRevocation?: boolean;
}

/** The facts in which a provider differs from others. */
export interface ProviderClientOptions {
  /** The provider's display name. */
  readonly provider: string;
  readonly scopes: readonly string[];
  readonly endpoints: (signal: AbortSignal) => Promise<Endpoints>;
  /** Further parameters of the authorization URL. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether the provider issues id tokens and therefore takes a nonce. */
  readonly openid: boolean;
  /** Fields of the token response that are needed later. */
  readonly keep?: readonly string[];
  /** Recognises the provider's own response to a dead refresh token. */
  readonly isDead?: (answer: ProviderResponse) => boolean;
}

/** An OAuth client of a provider. */
export interface ProviderClient {
  readonly ask: SendToProvider;
  authorizationUrl(attempt: LoginAttempt): Promise<URL>;
  exchange(code: string, attempt: Omit<LoginAttempt, 'state'>, signal: AbortSignal): Promise<UpstreamTokens>;
  refresh(refreshToken: string, signal: AbortSignal): Promise<UpstreamTokens>;
  revoke(tokens: UpstreamTokens, signal: AbortSignal): Promise<void>;
}

/** Creates the OAuth 2.0 client of a provider, with PKCE (RFC 6749, 7636, 7009). */
export function createProviderClient(
  block: ProviderBlock,
  ports: ProviderPorts,
  options: ProviderClientOptions,
): ProviderClient {
  const ask = createSend(ports);
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
    authorizationUrl: (attempt) => toAuthorizationUrl(block, options, attempt),
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

/** Sends our own requests, because arctic's have no deadline, no size limit, and follow redirects. */
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
        ...(proven && { authorization: basicAuthorization(client_id, client_secret) }),
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
  throw unavailable(step, 'sent a response without a bearer token');
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
