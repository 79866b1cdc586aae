import { type Context, Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { enforceServedMetadata } from './auth/public-urls.ts';
import {
  type Authenticate,
  authenticateSender,
  endStream,
  senderOf,
  tokenEndOf,
  visibleHeaders,
} from './auth/sender.ts';
import type { Admit, Auth, Sender } from './auth/types.ts';
import type { Runtime } from './call/runtime.ts';
import type { AnyEntry } from './catalog/model.ts';
import { logIdsOf } from './context.ts';
import type { Sealer } from './crypto/seal.ts';
import { causesOf, ERRORS, SvcError, toSvcError } from './errors.ts';
import { enforceAccess, type HttpAccess, toProbeAccess } from './http/access.ts';
import { MAX_BODY_BYTES, readBody } from './http/body.ts';
import { createBodyRoom, type Leave, SMALL_BODY, type TakeRoom } from './http/body-room.ts';
import { exposedTo, toPreflight } from './http/cors.ts';
import { toErrorResponse } from './http/errors.ts';
import { toHealth, toReadiness } from './http/health.ts';
import { createRequestCounts, type RateLimit, type RequestCounts } from './http/rate-limit.ts';
import type { Changes } from './mcp/changes.ts';
import type { Caller } from './mcp/context.ts';
import { MODERN_VERSIONS } from './mcp/era.ts';
import { answerEnd, answerListen, namesSession } from './mcp/sessions/session-requests.ts';
import { type Live, openLive, type Sessions } from './mcp/sessions/sessions.ts';
import { createToolsets, type FindToolset, type SelectedPart } from './mcp/toolsets.ts';
import { type TextResponse, toResponse } from './mcp/transport/response.ts';
import {
  createMcpHandler,
  type McpHandler,
  type McpPost,
  type OnMessage,
} from './mcp/transport/streamable-http.ts';
import { toLandingResponse } from './pages/landing.ts';
import type { Log } from './ports.ts';
import { OWN_ADDRESS, type PublicAddress, publicBase } from './public-address.ts';
import { PATHS, withoutSlash } from './served-paths.ts';
import { isEventStream } from './streams.ts';

/** The choices for serving a project over HTTP. */
export interface AppOptions {
  /** The host names and origins that may reach the server. */
  readonly access: HttpAccess;
  /** Asked once for each request, so that a reload can swap it. */
  readonly runtime: () => Runtime;
  readonly version: string;
  /** Remember nothing between requests, not even for clients that would keep a session. */
  readonly stateless: boolean;
  readonly log: Log;
  readonly instructions?: string;
  /** The sign-in that protects `/mcp`; null for anonymous access. */
  readonly auth?: Auth | null;
  /** Identifies the user in place of `auth`, for a host that signs its users in itself. */
  readonly authenticate?: Authenticate;
  /** Null for no limit. */
  readonly rateLimit?: RateLimit | null;
  readonly maxBodyBytes?: number;
  /** The public address of the server. Default: the address that the request names. */
  readonly publicAddress?: PublicAddress;
  readonly pageSize?: number;
  /** Seals the state of calls that elicit input. Several processes of one server must share its key. */
  readonly sealer?: Sealer | null;
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
export interface SsePost extends Pick<McpPost, 'headers' | 'body' | 'caller'> {
  /** Takes room for the body until the request is answered. Throws busy if there is none. */
  readonly hold: () => Leave;
}

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
  /** The path in front of all public addresses that the platform has cut off, such as `/prod`; absent if there is none. */
  readonly pathPrefix?: string;
  /**
   * Takes a response whose body is a text, on platforms that write texts more cheaply than responses. Returns a stand-in
   * with its status, which nobody changes.
   */
  readonly respond?: (response: TextResponse) => Response;
  /**
   * Whether each request runs to its end, also if its client leaves. Only then large bodies take room: a platform that
   * drops requests would never give it back.
   */
  readonly runsToEnd?: boolean;
}

/** The served side of a project: a web-standard handler. */
export interface App {
  fetch(request: Request, extra?: Extra): Promise<Response>;
  /** Closes streams and sessions so that the server can stop. `/ready` answers 503 from now on. */
  close?(): void;
}

/** A request, with the facts that its adapter knows. */
interface Received extends Omit<Extra, 'respond'> {
  readonly request: Request;
  readonly requestId: string;
}

type Env = { Bindings: Received };

/** Guards, the MCP endpoint and the health checks as one handler (design, section 1). */
export function createApp(options: AppOptions): App {
  // Not strict: `/mcp/` is `/mcp`, without a redirect that would lose the body.
  const hono = new Hono<Env>({ strict: false });
  const { log } = options;
  const { count: countKey } = createRequestCounts(WRONG_KEYS);
  const admission: Admission = {
    ...createRequestCounts(options.rateLimit ?? null),
    countWrongKey: (address) => countKey(null, address),
    authenticate: toAuthenticate(options),
    takeRoom: createBodyRoom(),
    takeListenRoom: createBodyRoom(),
  };
  const live = options.stateless ? null : openLive(options.changes);
  const answerPost = createPostAnswer(options, live, admission);
  hono.post(PATHS.mcp, async (c) => toResponse(await answerPost(c.env)));
  routeMcp(hono, live, admission);
  if (options.sse !== undefined) routeSse(hono, options, options.sse, admission);
  let stopping = false;
  routeHealth(hono, options, () => stopping);
  routeLanding(hono, options);
  hono.notFound((c) =>
    toErrorResponse(new SvcError('not_found', 'There is nothing here.'), {
      request: c.req.raw,
      path: c.req.path,
      requestId: c.env.requestId,
      home: `${publicBase(c.req.raw, options.publicAddress ?? OWN_ADDRESS, c.env.pathPrefix)}/`,
    }),
  );
  hono.onError((thrown, c) => fail(toSvcError(thrown), c.env, log));
  /** Nearly every request is a POST to `/mcp`, so it does not wait for a router. */
  const route = (received: Received): Answering => {
    if (!isMcpPost(received.request)) return hono.fetch(received.request, received);
    return answerPost(received).catch((thrown: unknown) => fail(toSvcError(thrown), received, log));
  };
  return {
    fetch: async (request, { respond = toResponse, ...extra } = {}) => {
      const received = { ...extra, request, requestId: extra.requestId ?? crypto.randomUUID() };
      try {
        return await guard(received, options, { admission, route, respond });
      } catch (thrown) {
        return fail(toSvcError(thrown), received, log);
      }
    },
    close: () => {
      stopping = true;
      live?.close();
    },
  };
}

type Answering = Response | Promise<Response | TextResponse>;

/** The parts of the app behind its guards. */
interface Guarded {
  readonly admission: Admission;
  readonly route: (received: Received) => Answering;
  readonly respond: NonNullable<Extra['respond']>;
}

/** Lets a request in, and adds the headers that every response has. */
async function guard(
  received: Received,
  options: Pick<AppOptions, 'access' | 'auth' | 'publicAddress'>,
  { admission, route, respond }: Guarded,
): Promise<Response> {
  const { request, requestId, pathPrefix = null } = received;
  const { access, auth = null } = options;
  const reached = isHealthCheck(request) ? toProbeAccess(access) : access;
  enforceAccess(request.headers, reached, { signIn: auth !== null });
  if (auth !== null) enforceServedMetadata(auth, pathPrefix, options.publicAddress ?? OWN_ADDRESS);
  const answered = auth === null ? null : answerAuth(received, auth, admission);
  const answer = await (answered ?? route(received));
  // OAuth answers state themselves which origins may read them.
  const origin = answered === null ? request.headers.get('origin') : null;
  const exposed = origin === null ? {} : exposedTo(access.allowedOrigins === null ? '*' : origin);
  const added = { ...exposed, 'x-request-id': requestId };
  if (!('body' in answer)) return respond({ ...answer, headers: { ...answer.headers, ...added } });
  addTo(answer.headers, added);
  return answer;
}

function isHealthCheck(request: Request): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const path = withoutSlash(getPath(request));
  return path === PATHS.health || path === PATHS.ready;
}

/** Adds headers to those of a response, which may name other reasons to vary. */
function addTo(headers: Headers, added: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(added)) {
    if (name === 'vary') headers.append(name, value);
    else headers.set(name, value);
  }
}

/** Whether a request is a POST to `/mcp` in its usual spelling. The router knows the others. */
function isMcpPost({ method, url }: Request): boolean {
  return method === 'POST' && url.endsWith('/mcp') && url.indexOf('/', AFTER_SCHEME) === url.length - 4;
}

/** A position in the address of a request after the slashes of its scheme, and not after its path's. */
const AFTER_SCHEME = 'https://'.length;

const MAX_FORM_BYTES = 64 * 1024;

/** Answers an OAuth path; null for any other path. */
function answerAuth(received: Received, auth: Auth, { count }: Admission): Promise<Response> | null {
  const { request, signal, address } = received;
  const body = () => readBody(request, MAX_FORM_BYTES);
  const counted = () => count(null, address);
  return auth.respond({ request, body, signal: signal ?? request.signal, count: counted });
}

/** The checks of every request for MCP. */
interface Admission extends RequestCounts {
  /** The sign-in; null if every sender is anonymous. */
  readonly authenticate: ((request: Request, admit: Admit) => Promise<Sender | null>) | null;
  /** Counts a wrong API key of a network address, also where requests have no limit. Throws rate_limited. */
  readonly countWrongKey: (address: string | undefined) => void;
  readonly takeRoom: TakeRoom;
  /** The room of requests to listen, which may last for hours and must not keep calls waiting. */
  readonly takeListenRoom: TakeRoom;
}

/** The wrong API keys of one address that get the reason; further ones get 429. Right keys are not delayed. */
const WRONG_KEYS: RateLimit = { requestsPerMinute: 60, burst: 60 };

function toAuthenticate({ auth, authenticate, runtime }: AppOptions): Admission['authenticate'] {
  if (auth) return (request, admit) => authenticateSender(auth, { spans: runtime().spans, admit }, request);
  return authenticate === undefined ? null : (request) => senderOf(authenticate, request);
}

function isProtected({ auth, authenticate }: AppOptions): boolean {
  return Boolean(auth ?? authenticate);
}

async function fail(error: SvcError, { request, requestId }: Received, log: Log): Promise<Response> {
  // As the router reads it: an address may name a host that no URL has.
  const path = getPath(request);
  if (!ERRORS[error.code].shown) {
    const ids = logIdsOf({ requestId, traceparent: request.headers.get('traceparent') });
    const fields = { ...ids, error_id: requestId, code: error.code, causes: causesOf(error) };
    log({ level: 'error', message: `${request.method} ${path} failed: ${error.message}`, fields });
  }
  const response = await toErrorResponse(error, { request, path, requestId });
  // The guard above sets it on answers, and an error of the guard itself passes it by.
  response.headers.set('x-request-id', requestId);
  return response;
}

/** Answers one POST to `/mcp`. */
type AnswerPost = (received: Received) => Promise<Response | TextResponse>;

function createPostAnswer(options: AppOptions, live: Live | null, admission: Admission): AnswerPost {
  const { changes: _, ...served } = options;
  const kept = live === null ? { sessions: null } : { sessions: live.sessions, changes: live.changes };
  const claimOnce = async (key: string, seconds: number) =>
    (await options.auth?.claimOnce?.(key, seconds)) ?? true;
  const createHandler = ({ runtime, byHeader }: SelectedPart): McpHandler =>
    createMcpHandler(runtime, {
      ...served,
      ...kept,
      claimOnce,
      private: isProtected(options) || byHeader,
    });
  const handlers = new WeakMap<Runtime, FindToolset<McpHandler>>();
  return async (received) => {
    const { request, address, runsToEnd = false } = received;
    const caller = await toCaller(received, admission, 'http');
    const body = await readBody(request, options.maxBodyBytes ?? MAX_BODY_BYTES);
    const runtime = options.runtime();
    const findHandler = handlers.get(runtime) ?? createToolsets(runtime, createHandler);
    handlers.set(runtime, findHandler);
    const handle = findHandler(request);
    const { headers } = request;
    const exchange = { headers, body, caller };
    const answer = await (body.length <= SMALL_BODY || !runsToEnd
      ? handle(exchange)
      : handleLarge(handle, exchange, roomFor(admission, headers)(caller.user, address, body.length)));
    return 'body' in answer ? endStream(answer, caller.revoked) : answer;
  };
}

/** Chooses the room of a large request by its headers: a message of this era with another method is refused. */
function roomFor({ takeRoom, takeListenRoom }: Admission, headers: Headers): TakeRoom {
  const version = headers.get('mcp-protocol-version') ?? '';
  const listens = MODERN_VERSIONS.includes(version) && headers.get('mcp-method') === 'subscriptions/listen';
  return listens ? takeListenRoom : takeRoom;
}

/** Handles a request with a large body, and gives its room back when it is answered: a stream does so at its last message. */
async function handleLarge(
  handle: McpHandler,
  exchange: Parameters<McpHandler>[0],
  leave: Leave,
): ReturnType<McpHandler> {
  let streams = false;
  try {
    const answer = await handle({ ...exchange, caller: { ...exchange.caller, leave } });
    streams = 'body' in answer && isEventStream(answer);
    return answer;
  } finally {
    if (!streams) leave();
  }
}

function routeMcp(hono: Hono<Env>, live: Live | null, admission: Admission): void {
  const methods = live === null ? 'POST' : 'POST, GET, DELETE';
  if (live !== null) routeSessions(hono, live.sessions, admission);
  hono.options(PATHS.mcp, (c) => toPreflight(c.req.raw, methods));
  hono.all(PATHS.mcp, (c) => refuseMethod(c, methods));
}

/** Says which methods there are (RFC 9110, 15.5.6). */
async function refuseMethod(c: Context<Env>, methods: string): Promise<Response> {
  const [only] = methods.split(',', 1);
  const error = new SvcError('method_not_allowed', `${c.req.method} is not used here: ${only} only.`);
  const { path, raw } = c.req;
  const refused = await toErrorResponse(error, { request: raw, path, requestId: c.env.requestId });
  refused.headers.set('allow', methods);
  return refused;
}

function routeSessions(hono: Hono<Env>, sessions: Sessions, admission: Admission): void {
  hono.get(PATHS.mcp, async (c, next) => {
    if (isHead(c) || !namesSession(c.req.raw.headers)) return next();
    const caller = await toCaller(c.env, admission, 'http');
    return endStream(answerListen(sessions, c.req.raw.headers, caller), caller.revoked, caller.tokenEnd);
  });
  hono.delete(PATHS.mcp, async (c, next) => {
    if (!namesSession(c.req.raw.headers)) return next();
    return answerEnd(sessions, c.req.raw.headers, await toCaller(c.env, admission, 'http'));
  });
}

/** Hono answers HEAD like GET and drops the body, so a stream would stay open for ever. */
function isHead(c: Context<Env>): boolean {
  return c.req.method === 'HEAD';
}

function routeSse(hono: Hono<Env>, options: AppOptions, sse: SseEndpoint, admission: Admission): void {
  const { publicAddress = OWN_ADDRESS, maxBodyBytes = MAX_BODY_BYTES } = options;
  hono.get(PATHS.sse, async (c) => {
    if (isHead(c)) return refuseMethod(c, 'GET');
    const caller = await toCaller(c.env, admission, 'sse');
    const { pathname } = new URL(`${publicBase(c.req.raw, publicAddress)}/messages/`);
    return endStream(sse.open(caller, pathname), caller.revoked);
  });
  hono.post(PATHS.messages, async (c) => {
    const caller = await toCaller(c.env, admission, 'sse');
    const body = await readBody(c.req.raw, maxBodyBytes);
    const hold = () => admission.takeRoom(caller.user, c.env.address, body.length);
    return sse.receive(c.req.query('session_id') ?? '', { headers: c.req.raw.headers, body, caller, hold });
  });
  hono.options(PATHS.sse, (c) => toPreflight(c.req.raw, 'GET'));
  hono.options(PATHS.messages, (c) => toPreflight(c.req.raw, 'POST'));
  hono.all(PATHS.sse, (c) => refuseMethod(c, 'GET'));
  hono.all(PATHS.messages, (c) => refuseMethod(c, 'POST'));
}

/** Authenticates the sender and counts the request. Throws SvcError for bad credentials, and rate_limited. */
async function toCaller(
  { request, requestId, address, signal }: Received,
  { authenticate, count, identify, countWrongKey }: Admission,
  transport: Caller['transport'],
): Promise<Caller> {
  const identified = authenticate && identify(address, (admit) => authenticate(request, admit));
  const sender = await identified?.catch((thrown) => {
    if (toSvcError(thrown).code === 'api_key_invalid') countWrongKey(address);
    throw thrown;
  });
  const user = sender?.user ?? null;
  count(user, address);
  const tokenEnd = sender && tokenEndOf(sender);
  let headers: ReadonlyMap<string, string> | undefined;
  return {
    requestId,
    transport,
    user,
    countAnother: () => count(user, address),
    headers: () => {
      headers ??= visibleHeaders(request, sender?.hidesCredentials ?? false);
      return headers;
    },
    sessionId: sender?.sessionId ?? null,
    ...(sender?.grant && { grant: sender.grant }),
    ...(sender?.revoked && { revoked: sender.revoked }),
    ...(tokenEnd && { tokenEnd }),
    traceparent: request.headers.get('traceparent'),
    signal: signal ?? request.signal,
  };
}

function routeHealth(hono: Hono<Env>, { runtime, version }: AppOptions, stopping: () => boolean): void {
  hono.get(PATHS.health, () => toHealth(runtime(), version));
  hono.get(PATHS.ready, (c) => {
    if (stopping()) throw new SvcError('busy', 'The server is stopping.');
    return toReadiness(runtime(), c.env.signal ?? c.req.raw.signal);
  });
}

function toListed(entries: Readonly<Record<string, AnyEntry>>) {
  return Object.entries(entries).map(([name, { wire }]) => ({
    name,
    description: typeof wire.description === 'string' ? wire.description : '',
  }));
}

function routeLanding(hono: Hono<Env>, options: AppOptions): void {
  const { runtime, version, publicAddress = OWN_ADDRESS } = options;
  hono.get(PATHS.landing, (c) => {
    const { project, tools, resources, prompts } = runtime().catalog;
    return toLandingResponse(c.req.raw, {
      project,
      version,
      url: `${publicBase(c.req.raw, publicAddress, c.env.pathPrefix)}/mcp`,
      login: isProtected(options),
      keysOnly: options.auth?.keysOnly ?? false,
      tools: Object.keys(tools).length,
      resources: Object.keys(resources).length,
      prompts: Object.keys(prompts).length,
      endpoints: isProtected(options) ? [] : [tools, resources, prompts].flatMap(toListed),
    });
  });
}
