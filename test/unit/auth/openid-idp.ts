import type { JsonObject } from '../../../src/json.ts';
import type { AuthSettings } from '../../../src/settings/model.ts';
import { createSigner } from '../../idp/signer.ts';
import { createIdp, type Idp } from './idp.ts';

/** The provider of `idp.ts` as a server of OpenID Connect, which tells by id tokens and user information who somebody is. */
export interface OpenIdIdp extends Idp {
  /** The settings of a server that signs people in there. */
  readonly provider: NonNullable<AuthSettings['provider']>;
  /** The claims about the next user who signs in. */
  claims: JsonObject;
  /** The lifetime of an id token in seconds. */
  idSeconds: number;
  /** Whether a refresh brings an id token too. */
  refreshesId: boolean;
  /** The status of user information; null: the server has none. */
  userinfo: number | null;
  /** Milliseconds. */
  now: () => number;
}

export async function createOpenIdIdp(): Promise<OpenIdIdp> {
  const [inner, signer] = [createIdp(), await createSigner()];
  const { origin, authorize, fetch: answer } = inner;
  let nonce: string | null = null;
  const idToken = () => {
    const iat = Math.floor(idp.now() / 1000);
    const times = { iat, exp: iat + idp.idSeconds };
    return signer.sign({
      ...idp.claims,
      ...times,
      iss: origin,
      aud: 'svc',
      ...(nonce !== null && { nonce }),
    });
  };
  const token = async (request: Request): Promise<Response> => {
    const isRefresh = new URLSearchParams(await request.clone().text()).get('grant_type') === 'refresh_token';
    const response = await answer(request);
    if (response.status !== 200 || (isRefresh && !idp.refreshesId)) return response;
    return Response.json({ ...((await response.json()) as object), id_token: await idToken() });
  };
  const discovery = () => ({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    jwks_uri: `${origin}/jwks`,
    ...(idp.userinfo !== null && { userinfo_endpoint: `${origin}/userinfo` }),
  });
  const idp: OpenIdIdp = Object.assign(inner, {
    provider: {
      id: 'oidc' as const,
      client_id: 'svc',
      client_secret: 'planted-client-secret',
      callback_path: '/callback',
      config_url: origin,
    },
    claims: { sub: '1815', name: 'Ada Lovelace', email: 'ada@example.com', email_verified: true },
    idSeconds: 60,
    refreshesId: true,
    userinfo: 200,
    now: Date.now,
    authorize: (url: URL) => {
      nonce = url.searchParams.get('nonce');
      return authorize(url);
    },
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      const request = new Request(input, init);
      const { pathname } = new URL(request.url);
      if (pathname === '/.well-known/openid-configuration') return Response.json(discovery());
      if (pathname === '/jwks') return Response.json(signer.jwks);
      if (pathname === '/userinfo') return Response.json(idp.claims, { status: idp.userinfo ?? 404 });
      return token(request);
    },
  });
  return idp;
}
