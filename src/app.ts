import { type Context, Hono } from 'hono';
import { authenticateSender, visibleHeaders } from './auth/guard.ts';
import { type Authenticate, senderOf } from './auth/host-sign-in.ts';
import type { Auth, Sender } from './auth/types.ts';
import type { Runtime } from './call/runtime.ts';
import { logIdsOf } from './context.ts';
import type { Sealer } from './crypto/seal.ts';
import { causesOf, ERRORS, SvcError, toSvcError } from './errors.ts';
import { enforceAccess, type HttpAccess } from './http/access.ts';
import { MAX_BODY_BYTES, readBody } from './http/body.ts';
import { exposeTo, toPreflight } from './http/cors.ts';
import { endWithKey } from './http/end-with-key.ts';
import { toErrorResponse } from './http/errors.ts';
import { toHealth, toReadiness } from './http/health.ts';
import { OWN_ADDRESS, type PublicAddress, publicBase } from './http/public-address.ts';
import { type CountRequest, createRequestCount, type RateLimit } from './http/rate-limit.ts';
import type { Changes } from './mcp/changes.ts';
import type { Caller } from './mcp/context.ts';
import { type Live, openLive } from './mcp/sessions/live.ts';
import { answerEnd, answerListen, namesSession } from './mcp/sessions/session-requests.ts';
import type { Sessions } from './mcp/sessions/sessions.ts';
import { createToolsets, type FindToolset } from './mcp/toolsets.ts';
import type { Respond } from './mcp/transport/response.ts';
import {
  createMcpHandler,
  type McpHandler,
  type McpPost,
  type OnMessage,
} from './mcp/transport/streamable-http.ts';
import { toLandingResponse } from './pages/landing.ts';
import type { Log } from './ports.ts';

/** The choices for serving a project over HTTP. */
export interface AppOptions {
  /** The host names and origins that may reach the server. */
  readonly access: () => HttpAccess;
  /** Asked once for each request, so that a reload can swap it. */
  readonly runtime: () => Runtime;
  readonly version: string;
  /** Remember nothing between requests, not even for clients that would keep a session. */
  readonly stateless: boolean;
  readonly log: Log;
  readonly instructions?: string;
  /** The sign-in that protects `/mcp`, read for each request; null for anonymous access. */
  readonly auth?: () => Auth | null;
  /** Identifies the user in place of `auth`, for a host that signs its users in itself. */
  readonly authenticate?: Authenticate;
  /** The rate limit, read for each request; null for no limit. */
  readonly rateLimit?: () => RateLimit | null;
  readonly maxBodyBytes?: number;
  /** The public address of the server. Default: the address that the request names. */
  readonly publicAddress?: () => PublicAddress;
  readonly pageSize?: number;
  /** Seals the state of calls that elicit input. Several processes of one server must share its key. */
  readonly sealer?: () => Sealer | null;
  /** The changes that clients are notified of. Default: only calls that write. */
  readonly changes?: Changes;
  /** Whether the lists of endpoints may change while they are served. */
  readonly reloads?: boolean;
  /** Receives every message on `/mcp` before it is answered, for the debug log. */
  readonly onMessage?: OnMessage;
  /** Whether the MCP SDK answers plain calls too, so that tests can compare both ways. */
  readonly onlySdk?: boolean;
  /** The HTTP+SSE transport, on platforms that offer it. */
  readonly sse?: SseEndpoint;
}

/** One POST of a client that listens to a stream. */
export type SsePost = Pick<McpPost, 'headers' | 'body' | 'caller'>;

/** HTTP+SSE, the transport of revision 2024-11-05. */
export interface SseEndpoint {
  /** Opens a stream of messages; its client is told to send its own to the path. */
  open(caller: Caller, path: string): Response;
  /** Accepts a message of the client. Throws not_found for a session of somebody else. */
  receive(sessionId: string, post: SsePost): Response;
}

/** The facts about a request that only the adapter knows. */
export interface Extra {
  /** Aborts when the client disconnects; set if `request.signal` does not. */
  readonly signal?: AbortSignal;
  /** The id under which the adapter logs the request. */
  readonly requestId?: string;
  /** The network address of the client. Requests without one are not rate limited. */
  readonly address?: string;
  /** Makes a response from a text in a way that is cheaper than `new Response`, on platforms that have one. */
  readonly respond?: Respond;
}

/** The served side of a project: a web-standard handler. */
export interface App {
  fetch(request: Request, extra?: Extra): Promise<Response>;
  /** Closes streams and sessions so that the server can stop. `/ready` answers 503 from now on. */
  close?(): void;
}

type Env = { Bindings: Extra; Variables: { requestId: string } };

/** Guards, the MCP endpoint and the health checks as one handler (design, section 1). */
export function createApp(options: AppOptions): App {
  // Not strict: `/mcp/` is `/mcp`, without a redirect that would lose the body.
  const hono = new Hono<Env>({ strict: false });
  const countKey = createRequestCount(() => WRONG_KEYS);
  const admission: Admission = {
    count: options.rateLimit === undefined ? () => {} : createRequestCount(options.rateLimit),
    countWrongKey: (address) => countKey(null, address),
    authenticate: toAuthenticate(options),
  };
  hono.use(async (c, next) => {
    c.set('requestId', c.env.requestId ?? crypto.randomUUID());
    const access = options.access();
    enforceAccess(c.req.raw.headers, access);
    const auth = options.auth?.() ?? null;
    const answered = auth === null ? null : answerAuth(c, auth, admission);
    if (answered === null) {
      await next();
      const origin = c.req.raw.headers.get('origin');
      if (origin !== null) exposeTo(access.allowedOrigins === null ? '*' : origin, c.res.headers);
    } else {
      // OAuth answers state themselves which origins may read them.
      c.res = await answered;
    }
    c.res.headers.set('x-request-id', c.get('requestId'));
  });
  const live = options.stateless ? null : openLive(options.changes);
  routeMcp(hono, options, live, admission);
  if (options.sse !== undefined) routeSse(hono, options, options.sse, admission);
  let stopping = false;
  routeHealth(hono, options, () => stopping);
  routeLanding(hono, options);
  hono.notFound((c) =>
    toErrorResponse(new SvcError('not_found', 'There is nothing here.'), c.req.path, c.get('requestId')),
  );
  hono.onError((thrown, c) => fail(toSvcError(thrown), c, options.log));
  return {
    fetch: async (request, extra = {}) => hono.fetch(request, extra),
    close: () => {
      stopping = true;
      live?.close();
    },
  };
}

const MAX_FORM_BYTES = 64 * 1024;

/** Answers an OAuth path; null for any other path. */
function answerAuth(c: Context<Env>, auth: Auth, { count }: Admission): Promise<Response> | null {
  const { raw: request } = c.req;
  const signal = c.env.signal ?? request.signal;
  const body = () => readBody(request, MAX_FORM_BYTES);
  return auth.respond({ request, body, signal, count: () => count(null, c.env.address) });
}

/** The checks of every request for MCP. */
interface Admission {
  /** The sign-in; null if every sender is anonymous. */
  readonly authenticate: ((request: Request) => Promise<Sender | null>) | null;
  readonly count: CountRequest;
  /** Counts a wrong API key of a network address, also where requests have no limit. Throws rate_limited. */
  readonly countWrongKey: (address: string | undefined) => void;
}

/** The wrong API keys of one address that get the reason; further ones get 429. Right keys are not delayed. */
const WRONG_KEYS: RateLimit = { requestsPerMinute: 60, burst: 60 };

function toAuthenticate({ auth, authenticate, runtime }: AppOptions): Admission['authenticate'] {
  if (auth !== undefined) return (request) => authenticateSender(auth(), runtime().spans, request);
  return authenticate === undefined ? null : (request) => senderOf(authenticate, request);
}

function isProtected({ auth, authenticate }: AppOptions): boolean {
  return (auth?.() ?? null) !== null || authenticate !== undefined;
}

function fail(error: SvcError, c: Context<Env>, log: Log): Response {
  const requestId = c.get('requestId');
  if (!ERRORS[error.code].shown) {
    const ids = logIdsOf({ requestId, traceparent: c.req.raw.headers.get('traceparent') });
    const fields = { ...ids, error_id: requestId, code: error.code, causes: causesOf(error) };
    log({ level: 'error', message: `${c.req.method} ${c.req.path} failed: ${error.message}`, fields });
  }
  const response = toErrorResponse(error, c.req.path, requestId);
  // The guard above sets it on answers, and an error of the guard itself passes it by.
  response.headers.set('x-request-id', requestId);
  return response;
}

function routeMcp(hono: Hono<Env>, options: AppOptions, live: Live | null, admission: Admission): void {
  const methods = live === null ? 'POST' : 'POST, GET, DELETE';
  const { changes: _, ...served } = options;
  const kept = live === null ? { sessions: null } : { sessions: live.sessions, changes: live.changes };
  const claimOnce = async (key: string, seconds: number) =>
    (await options.auth?.()?.claimOnce?.(key, seconds)) ?? true;
  const createHandler = (runtime: Runtime): McpHandler =>
    createMcpHandler(runtime, { ...served, ...kept, claimOnce, private: isProtected(options) });
  const handlers = new WeakMap<Runtime, FindToolset<McpHandler>>();
  const findHandlerOf = (runtime: Runtime): FindToolset<McpHandler> => {
    const found = handlers.get(runtime) ?? createToolsets(runtime, createHandler);
    handlers.set(runtime, found);
    return found;
  };
  hono.post('/mcp', async (c) => {
    const { headers } = c.req.raw;
    const caller = await toCaller(c, admission, 'http');
    const body = await readBody(c.req.raw, options.maxBodyBytes ?? MAX_BODY_BYTES);
    const handle = findHandlerOf(options.runtime())(c.req.raw);
    return endWithKey(await handle({ headers, body, caller, respond: c.env.respond }), caller);
  });
  if (live !== null) routeSessions(hono, live.sessions, admission);
  hono.options('/mcp', (c) => toPreflight(c.req.raw, methods));
  hono.all('/mcp', (c) => refuseMethod(c, methods));
}

/** Says which methods there are (RFC 9110, 15.5.6). */
function refuseMethod(c: Context<Env>, methods: string): Response {
  const [only] = methods.split(',', 1);
  const error = new SvcError('method_not_allowed', `${c.req.method} is not used here: ${only} only.`);
  const refused = toErrorResponse(error, c.req.path, c.get('requestId'));
  refused.headers.set('allow', methods);
  return refused;
}

function routeSessions(hono: Hono<Env>, sessions: Sessions, admission: Admission): void {
  hono.get('/mcp', async (c, next) => {
    if (isHead(c) || !namesSession(c.req.raw.headers)) return next();
    const caller = await toCaller(c, admission, 'http');
    return endWithKey(answerListen(sessions, c.req.raw.headers, caller), caller);
  });
  hono.delete('/mcp', async (c, next) => {
    if (!namesSession(c.req.raw.headers)) return next();
    return answerEnd(sessions, c.req.raw.headers, await toCaller(c, admission, 'http'));
  });
}

/** Hono answers HEAD like GET and drops the body, so a stream would stay open for ever. */
function isHead(c: Context<Env>): boolean {
  return c.req.method === 'HEAD';
}

function routeSse(hono: Hono<Env>, options: AppOptions, sse: SseEndpoint, admission: Admission): void {
  const { publicAddress = () => OWN_ADDRESS, maxBodyBytes = MAX_BODY_BYTES } = options;
  hono.get('/sse', async (c) => {
    if (isHead(c)) return refuseMethod(c, 'GET');
    const caller = await toCaller(c, admission, 'sse');
    const { pathname } = new URL(`${publicBase(c.req.raw, publicAddress())}/messages/`);
    return endWithKey(sse.open(caller, pathname), caller);
  });
  hono.post('/messages', async (c) => {
    const caller = await toCaller(c, admission, 'sse');
    const body = await readBody(c.req.raw, maxBodyBytes);
    return sse.receive(c.req.query('session_id') ?? '', { headers: c.req.raw.headers, body, caller });
  });
  hono.options('/sse', (c) => toPreflight(c.req.raw, 'GET'));
  hono.options('/messages', (c) => toPreflight(c.req.raw, 'POST'));
  hono.all('/sse', (c) => refuseMethod(c, 'GET'));
  hono.all('/messages', (c) => refuseMethod(c, 'POST'));
}

/** Authenticates the sender and counts the request. Throws SvcError for bad credentials, and rate_limited. */
async function toCaller(
  c: Context<Env>,
  { authenticate, count, countWrongKey }: Admission,
  transport: Caller['transport'],
): Promise<Caller> {
  const { raw } = c.req;
  const { address } = c.env;
  const sender = await authenticate?.(raw).catch((thrown) => {
    count(null, address);
    if (toSvcError(thrown).code === 'api_key_invalid') countWrongKey(address);
    throw thrown;
  });
  const user = sender?.user ?? null;
  count(user, address);
  let headers: ReadonlyMap<string, string> | undefined;
  return {
    requestId: c.get('requestId'),
    transport,
    user,
    countAnother: () => count(user, address),
    headers: () => {
      headers ??= visibleHeaders(raw, sender?.hidesCredentials ?? false);
      return headers;
    },
    sessionId: sender?.sessionId ?? null,
    ...(sender?.grant && { grant: sender.grant }),
    ...(sender?.revoked && { revoked: sender.revoked }),
    traceparent: raw.headers.get('traceparent'),
    signal: c.env.signal ?? raw.signal,
  };
}

function routeHealth(hono: Hono<Env>, { runtime, version }: AppOptions, stopping: () => boolean): void {
  hono.get('/health', () => toHealth(runtime(), version));
  hono.get('/ready', (c) => {
    if (stopping()) throw new SvcError('busy', 'The server is stopping.');
    return toReadiness(runtime(), c.env.signal ?? c.req.raw.signal);
  });
}

function routeLanding(hono: Hono<Env>, options: AppOptions): void {
  const { runtime, version, publicAddress = () => OWN_ADDRESS } = options;
  hono.get('/', (c) => {
    const { project, tools, resources, prompts } = runtime().catalog;
    return toLandingResponse(c.req.raw, {
      project,
      version,
      url: `${publicBase(c.req.raw, publicAddress())}/mcp`,
      login: isProtected(options),
      keysOnly: options.auth?.()?.keysOnly ?? false,
      tools: Object.keys(tools).length,
      resources: Object.keys(resources).length,
      prompts: Object.keys(prompts).length,
    });
  });
}
