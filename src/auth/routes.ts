import { SvcError, toSvcError } from '../errors.ts';
import { PATHS, withoutSlash } from '../served-paths.ts';
import { answerConsent, authorize } from './endpoints/authorize.ts';
import { callback } from './endpoints/callback.ts';
import { askLogout, logout } from './endpoints/logout.ts';
import { authorizationServer, protectedResource } from './endpoints/metadata.ts';
import { logFailure, toFailurePage } from './endpoints/redirect.ts';
import { register } from './endpoints/register.ts';
import { revoke } from './endpoints/revoke.ts';
import { token } from './endpoints/token.ts';
import { toOAuthErrorResponse } from './oauth-error.ts';
import { parseParameters } from './parameters.ts';
import type { PublicUrlOptions, PublicUrls } from './public-urls.ts';
import type { AuthRequest, AuthServer, OAuthRequest, RouteHandler } from './types.ts';

/** One OAuth path. */
interface AuthRoute {
  /** `program`: any web page may send requests. `browser`: answers are pages and redirects. */
  readonly reader: 'program' | 'browser';
  /** Whether requests do not count towards the rate limit. */
  readonly free: boolean;
  readonly methods: { readonly [method: string]: RouteHandler };
}

/** Routes by their path without a trailing slash. */
type Routes = ReadonlyMap<string, AuthRoute>;

/** The options that paths depend on. */
interface RouteOptions extends PublicUrlOptions {
  /** The path of the public address. */
  readonly prefix: string;
}

/** The paths of the authorization server. */
export function createRoutes({ callbackPath, prefix, sse }: RouteOptions): Routes {
  const program = (methods: AuthRoute['methods']): AuthRoute => ({ reader: 'program', free: false, methods });
  const browser = (methods: AuthRoute['methods']): AuthRoute => ({ reader: 'browser', free: false, methods });
  const metadata = (GET: RouteHandler): AuthRoute => ({ reader: 'program', free: true, methods: { GET } });
  const resource = metadata(protectedResource);
  const server = metadata(authorizationServer);
  return new Map([
    [PATHS.authorize, browser({ GET: authorize, POST: answerConsent })],
    [withoutSlash(callbackPath), browser({ GET: callback })],
    [PATHS.logout, browser({ GET: askLogout, POST: logout })],
    [PATHS.token, program({ POST: token })],
    [PATHS.register, program({ POST: register })],
    [PATHS.revoke, program({ POST: revoke })],
    ...resourcePaths({ prefix, sse }).map((path) => [path, resource] as const),
    ['/.well-known/oauth-authorization-server', server],
    [`/.well-known/oauth-authorization-server${prefix}`, server],
  ]);
}

/** The paths of the MCP endpoint's metadata: the root form, and the form with its path (RFC 9728, 3.1). */
export function resourcePaths({ prefix, sse }: Omit<RouteOptions, 'callbackPath'>): readonly string[] {
  const root = '/.well-known/oauth-protected-resource';
  const paths = [root, `${root}/mcp`, `${root}${prefix}/mcp`];
  return sse ? [...paths, `${root}/sse`, `${root}${prefix}/sse`] : paths;
}

/** Answers a request to a route. A failure is an OAuth error for programs and a page for browsers. */
export async function answerRoute(
  server: AuthServer,
  route: AuthRoute,
  publicUrlsOf: (request: Request) => PublicUrls,
  authRequest: AuthRequest,
): Promise<Response> {
  const { request } = authRequest;
  const response = await answerMethod(server, route, publicUrlsOf, authRequest).catch((thrown) => {
    const error = toSvcError(thrown);
    logFailure(server, error);
    return toFailure(route, error, request);
  });
  if (route.reader === 'program') {
    response.headers.set('access-control-allow-origin', '*');
    response.headers.set('access-control-expose-headers', 'WWW-Authenticate, Retry-After');
  }
  return request.method === 'HEAD' ? new Response(null, response) : response;
}

async function answerMethod(
  server: AuthServer,
  route: AuthRoute,
  publicUrlsOf: (request: Request) => PublicUrls,
  authRequest: AuthRequest,
): Promise<Response> {
  const { request } = authRequest;
  if (request.method === 'OPTIONS' && route.reader === 'program') return toPreflight(route);
  if (!route.free) authRequest.count();
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  // A method may be named as a member of every object.
  const handle = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined;
  if (handle !== undefined) return handle(server, toOAuthRequest(publicUrlsOf(request), authRequest));
  const allow = Object.keys(route.methods).join(', ');
  const response = await toFailure(
    route,
    new SvcError('method_not_allowed', `${request.method} is not used here: ${allow} only.`),
    request,
  );
  response.headers.set('allow', allow);
  return response;
}

function toOAuthRequest(urls: PublicUrls, { request, body, signal }: AuthRequest): OAuthRequest {
  return {
    request,
    urls,
    signal,
    body,
    query: () => parseParameters(new URL(request.url).search),
    form: async () => {
      const type = request.headers.get('content-type') ?? '';
      if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return parseParameters(await body());
      const message = 'The Content-Type must be application/x-www-form-urlencoded.';
      throw new SvcError('request_invalid', message);
    },
  };
}

function toFailure({ reader }: AuthRoute, error: SvcError, request: Request): Promise<Response> | Response {
  if (reader === 'program') return toOAuthErrorResponse(error, challengeOf(error, request));
  return toFailurePage(error);
}

/** The challenge for a client that used HTTP Basic (RFC 6749, 5.2). */
function challengeOf({ code }: SvcError, { headers }: Request): Record<string, string> {
  const used = code === 'client_invalid' && /^basic\b/i.test(headers.get('authorization') ?? '');
  return used ? { 'www-authenticate': 'Basic realm="svc"' } : {};
}

function toPreflight({ methods }: AuthRoute): Response {
  const headers = {
    'access-control-allow-methods': Object.keys(methods).join(', '),
    'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
    'access-control-max-age': '86400',
  };
  return new Response(null, { status: 204, headers });
}
