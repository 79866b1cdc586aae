import { ERRORS, SvcError, toPublicText, toSvcError } from '../errors.ts';
import { toSignInFailurePage } from '../pages/sign-in.ts';
import { answerConsent, authorize } from './endpoints/authorize.ts';
import { callback } from './endpoints/callback.ts';
import { askLogout, logout } from './endpoints/logout.ts';
import { authorizationServer, protectedResource } from './endpoints/metadata.ts';
import { logOurs } from './endpoints/redirect-error.ts';
import { register } from './endpoints/register.ts';
import { revoke } from './endpoints/revoke.ts';
import { token } from './endpoints/token.ts';
import { comeAgain, toErrorResponse } from './oauth-error.ts';
import { parseParameters } from './parameters.ts';
import type { PublicUrlOptions, PublicUrls } from './public-urls.ts';
import type { AuthRequest, AuthServer, OAuthRequest, RouteHandler } from './types.ts';

/** One path: its methods, and who reads the answer; programs may ask from any web page, browsers show theirs themselves. */
export interface AuthRoute {
  readonly reader: 'program' | 'browser';
  /** Whether anybody may ask as often as they like. */
  readonly free: boolean;
  readonly methods: { readonly [method: string]: RouteHandler };
}

/** Answers by path, without a slash at the end. */
export type Routes = ReadonlyMap<string, AuthRoute>;

/** What the paths depend on. */
interface RouteParts extends PublicUrlOptions {
  readonly prefix: string;
}

/** The paths of an authorization server; `prefix` is the path of its public address. */
export function createRoutes({ callbackPath, prefix, sse }: RouteParts): Routes {
  const program = (methods: AuthRoute['methods']): AuthRoute => ({ reader: 'program', free: false, methods });
  const browser = (methods: AuthRoute['methods']): AuthRoute => ({ reader: 'browser', free: false, methods });
  const metadata = (GET: RouteHandler): AuthRoute => ({ reader: 'program', free: true, methods: { GET } });
  const resource = metadata(protectedResource);
  const server = metadata(authorizationServer);
  return new Map([
    ['/authorize', browser({ GET: authorize, POST: answerConsent })],
    [withoutSlash(callbackPath), browser({ GET: callback })],
    ['/logout', browser({ GET: askLogout, POST: logout })],
    ['/token', program({ POST: token })],
    ['/register', program({ POST: register })],
    ['/revoke', program({ POST: revoke })],
    ...resourcePaths({ prefix, sse }).map((path) => [path, resource] as const),
    ['/.well-known/oauth-authorization-server', server],
    [`/.well-known/oauth-authorization-server${prefix}`, server],
  ]);
}

/** Where the metadata of the MCP endpoint is: the root form, and the form with its path (RFC 9728, 3.1). */
export function resourcePaths({ prefix, sse }: Omit<RouteParts, 'callbackPath'>): readonly string[] {
  const root = '/.well-known/oauth-protected-resource';
  const paths = [root, `${root}/mcp`, `${root}${prefix}/mcp`];
  return sse ? [...paths, `${root}/sse`, `${root}${prefix}/sse`] : paths;
}

/** A path as routes have it. */
export function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Answers a request to a route; every failure has the form that its reader knows. */
export async function answerRoute(
  server: AuthServer,
  route: AuthRoute,
  placeOf: () => PublicUrls,
  given: AuthRequest,
): Promise<Response> {
  const { method } = given.request;
  const response = await answerMethod(server, route, placeOf, given).catch((thrown) => {
    const error = toSvcError(thrown);
    logOurs(server, error);
    return toFailure(route, error, given.request);
  });
  if (route.reader === 'program') {
    response.headers.set('access-control-allow-origin', '*');
    response.headers.set('access-control-expose-headers', 'WWW-Authenticate, Retry-After');
  }
  return method === 'HEAD' ? new Response(null, response) : response;
}

async function answerMethod(
  server: AuthServer,
  route: AuthRoute,
  placeOf: () => PublicUrls,
  given: AuthRequest,
): Promise<Response> {
  const { request } = given;
  if (request.method === 'OPTIONS' && route.reader === 'program') return toPreflight(route);
  if (!route.free) given.count();
  const endpoint = route.methods[request.method === 'HEAD' ? 'GET' : request.method];
  if (endpoint !== undefined) return endpoint(server, toExchange(placeOf(), given));
  const allow = Object.keys(route.methods).join(', ');
  const response = await toFailure(
    route,
    new SvcError('method_not_allowed', `${request.method} is not used here: ${allow} only.`),
    request,
  );
  response.headers.set('allow', allow);
  return response;
}

function toExchange(urls: PublicUrls, { request, body, signal }: AuthRequest): OAuthRequest {
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
  if (reader === 'program') return toErrorResponse(error, challengeOf(error, request));
  const { http } = ERRORS[error.code];
  const status = http >= 500 ? 503 : http === 401 ? 400 : http;
  return toSignInFailurePage(toPublicText(error), { status, headers: comeAgain(error) });
}

/** To a client that used HTTP Basic (RFC 6749, 5.2). */
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
