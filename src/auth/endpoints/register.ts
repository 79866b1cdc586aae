import * as v from 'valibot';
import { SvcError } from '../../errors.ts';
import { isRegistrable, isUsable } from '../../settings/redirect-uri.ts';
import { toClientId, toClientSecret } from '../clients/dynamic.ts';
import { toScopes } from '../scopes.ts';
import type { AuthServer, ClientMethod, OAuthRequest, RouteHandler } from '../types.ts';

/** The fields of a registration that the server reads; others are ignored (RFC 7591, 2). */
const REQUEST = v.object({
  redirect_uris: v.optional(v.array(v.string())),
  client_name: v.optional(v.string()),
  grant_types: v.optional(v.array(v.string())),
  response_types: v.optional(v.array(v.string())),
  scope: v.optional(v.string()),
  token_endpoint_auth_method: v.optional(v.string()),
});

type Request = v.InferOutput<typeof REQUEST>;

const MAX_URIS = 10;
const MAX_URI = 512;
const MAX_NAME = 100;
/** The most characters of a client id, which travels in URLs and cookies. */
const MAX_ID = 1_536;
const METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;
const GRANTS = ['authorization_code', 'refresh_token'] as const;

/** `POST /register`: the issued client id contains the registration, so nothing is stored (RFC 7591). */
export const register: RouteHandler = async (server, oauth) => answer(server, oauth, await parse(oauth));

async function answer(server: AuthServer, { urls }: OAuthRequest, request: Request): Promise<Response> {
  const { ring, now } = server;
  const issued = Math.floor(now() / 1000);
  const [n, r, g] = [nameOf(request), redirectsOf(request), grantsOf(request)];
  const method = methodOf(request);
  const s = toScopes(request.scope).filter((scope) => server.scopes.all.includes(scope));
  const id = await toClientId(ring, urls.issuer, { n, r, g, m: method, s, t: issued });
  if (id.length > MAX_ID) throw invalid('The metadata is too long.');
  const secret = method === 'none' ? null : await toClientSecret(ring, urls.issuer, id);
  const body = {
    client_id: id,
    client_id_issued_at: issued,
    ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: n,
    redirect_uris: r,
    grant_types: g,
    response_types: ['code'],
    token_endpoint_auth_method: method === 'secret' ? 'client_secret_basic' : method,
    scope: (s.length > 0 ? s : server.scopes.basic).join(' '),
  };
  return Response.json(body, { status: 201, headers: { 'cache-control': 'no-store', pragma: 'no-cache' } });
}

async function parse({ request, body }: OAuthRequest): Promise<Request> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw invalid('The Content-Type must be application/json.');
  }
  let json: unknown;
  try {
    json = JSON.parse(await body());
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown;
    throw invalid('The request is not JSON.');
  }
  if (Array.isArray(json)) throw invalid('The request is not an object.');
  const parsed = v.safeParse(REQUEST, json);
  if (parsed.success) return parsed.output;
  const path = v.getDotPath(parsed.issues[0]);
  throw invalid(path === null ? 'The request is not an object.' : `${path} has the wrong type.`);
}

function nameOf({ client_name }: Request): string {
  const name = (client_name ?? '').replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return name === '' ? 'A program without a name' : name.slice(0, MAX_NAME);
}

function redirectsOf({ redirect_uris: uris = [] }: Request): string[] {
  const refuse = (message: string) => new SvcError('redirect_invalid', message);
  if (uris.length === 0) throw refuse('redirect_uris is missing.');
  if (uris.length > MAX_URIS || uris.some((uri) => uri.length > MAX_URI)) {
    throw refuse(`At most ${MAX_URIS} redirect_uris of ${MAX_URI} characters are allowed.`);
  }
  if (!uris.every(isRegistrable)) {
    throw refuse('A redirect URI must be an absolute URL without fragment and credentials.');
  }
  if (uris.some(isUsable)) return uris;
  throw refuse('At least one redirect URI must be https, or http on this computer.');
}

function grantsOf({ grant_types = ['authorization_code'], response_types = ['code'] }: Request) {
  const grants = GRANTS.filter((grant) => grant_types.includes(grant));
  if (!response_types.includes('code')) throw invalid('The only response type is code.');
  if (grants.includes('authorization_code')) return [...grants];
  throw invalid('grant_types must include authorization_code.');
}

/** A client that names no method gets a secret, and may send it either way (RFC 7591, 2). */
function methodOf({ token_endpoint_auth_method: asked }: Request): ClientMethod {
  if (asked === undefined) return 'secret';
  const method = METHODS.find((one) => one === asked);
  if (method !== undefined) return method;
  throw invalid(`token_endpoint_auth_method must be one of ${METHODS.join(', ')}.`);
}

function invalid(message: string): SvcError {
  return new SvcError('registration_invalid', message);
}
