import type { User } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { Spans } from '../ports.ts';
import { countWaiting, isEventStream, waitingBytes } from '../streams.ts';
import type { Admit, Auth, Authenticated, AuthRejection, Sender } from './types.ts';

/** The user whom the program around the app has signed in. */
export interface SignedIn {
  /** Fields that are left out are null or empty. Null admits an anonymous caller on purpose. */
  readonly user: (Partial<User> & Pick<User, 'id'>) | null;
  /** The scopes that the user holds. Default: none, so endpoints with scopes refuse the call. */
  readonly scopes?: readonly string[];
}

/** Identifies the user of a request. To refuse the request, return null or throw a SvcError. */
export type Authenticate = (request: Request) => Promise<SignedIn | null>;

/** Returns the sender of a request. Throws `token_missing` if the host does not know the sender. */
export async function senderOf(authenticate: Authenticate, request: Request): Promise<Sender> {
  const found = await authenticate(request);
  if (found === null) throw notSignedIn();
  const { user, scopes = [] } = found;
  return {
    user: user === null ? null : { ...NO_FACTS, ...user },
    grant: { scopes, refuse: lacksScopes },
    // The SQL and the Python of endpoints must not read the sessions of the host.
    hidesCredentials: true,
  };
}

const NO_FACTS: Omit<User, 'id'> = {
  username: null,
  email: null,
  name: null,
  provider: null,
  role: null,
  permissions: [],
  groups: [],
  capabilities: [],
  claims: {},
  externalToken: null,
};

function notSignedIn(): SvcError {
  return new SvcError('token_missing', 'Sign in first.', { detail: { challenge: 'Bearer' } });
}

function lacksScopes(needed: readonly string[]): SvcError {
  const names = needed.join(' ');
  return new SvcError('scope_insufficient', `The user does not hold all of: ${names}.`, {
    detail: { challenge: `Bearer error="insufficient_scope", scope="${names}"` },
  });
}

const CREDENTIALS: readonly string[] = ['authorization', 'cookie', 'dpop'];

/** The spans of the app, and its admission of requests to other servers. */
interface SenderDeps {
  readonly spans: Spans;
  readonly admit: Admit;
}

/** Identifies the sender of a request; null if sign-in is off. Throws the rejection, its challenge in the detail. */
export async function authenticateSender(
  auth: Auth | null,
  { spans, admit }: SenderDeps,
  request: Request,
): Promise<Sender | null> {
  if (auth === null) return null;
  const found = await traced(spans, request, () => auth.authenticate(request, request.signal, admit));
  if ('error' in found) throw withChallenge(found);
  const { user, scopes, sessionId, revoked, lastsMs } = found;
  const refuse = (needed: readonly string[]) => withChallenge(auth.rejectScopes(request, found, needed));
  // An API key lasts long, so SQL and Python never see one.
  const hidesCredentials = auth.hidesCredentials || user?.apiKey !== undefined;
  const ends = lastsMs === undefined ? {} : { lastsMs };
  return {
    user,
    sessionId,
    grant: { scopes, refuse },
    hidesCredentials,
    ...ends,
    ...(revoked && { revoked }),
  };
}

/** Authenticates in a trace of its own, because a call's trace begins when its caller is known (spec, "Spans"). */
function traced(spans: Spans, request: Request, authenticate: () => Promise<Authenticated | AuthRejection>) {
  return spans.trace('svc.auth.authenticate', {}, request.headers.get('traceparent'), async (span) => {
    const found = await authenticate();
    const provider = 'user' in found ? found.user?.provider : null;
    span.set({ 'svc.auth.authenticated': 'user' in found });
    if (provider) span.set({ 'svc.auth.provider': provider });
    return found;
  });
}

/** The headers that SQL and Python may read (`auth.hide_credential_headers`). */
export function visibleHeaders({ headers }: Request, hidesCredentials: boolean): ReadonlyMap<string, string> {
  const visible = new Map(headers);
  if (hidesCredentials) for (const name of CREDENTIALS) visible.delete(name);
  return visible;
}

function withChallenge({ error, challenge }: AuthRejection): SvcError {
  const { code, message, cause, detail } = error;
  return new SvcError(code, message, { cause, detail: { ...detail, challenge } });
}

/** The longest time of a timer. A token that lasts longer, for 24 days, ends no stream. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A signal that aborts when a token ends. Its timer runs until `stop`. */
interface TokenEnd {
  readonly signal: AbortSignal;
  stop(): void;
}

/** Returns a function that watches for the end of the sender's token; undefined if the token has none. */
export function tokenEndOf({ lastsMs }: Pick<Sender, 'lastsMs'>): (() => TokenEnd) | undefined {
  if (lastsMs === undefined || lastsMs > MAX_TIMER_MS) return undefined;
  return () => {
    const ending = new AbortController();
    // `AbortSignal.timeout` would stay in memory until the token ends.
    const timer = setTimeout(() => ending.abort(), Math.max(0, Math.ceil(lastsMs)));
    return { signal: ending.signal, stop: () => clearTimeout(timer) };
  };
}

/** Ends a stream of events when its sender's API key is removed or its token ends, so no further request counts. */
export function endStream(
  response: Response,
  revoked: AbortSignal | undefined,
  tokenEnd?: () => TokenEnd,
): Response {
  const { body } = response;
  if ((revoked === undefined && tokenEnd === undefined) || body === null || !isEventStream(response)) {
    return response;
  }
  const end = tokenEnd?.();
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  const signal = AbortSignal.any([revoked, end?.signal].filter((one) => one !== undefined));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const over = () => {
    end?.stop();
    signal.removeEventListener('abort', stop);
  };
  // Nothing is read before it is wanted, so that what waits can be counted.
  const readable = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        over();
        controller.close();
      },
      cancel: (reason) => {
        over();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  countWaiting(readable, () => waitingBytes(body));
  return new Response(readable, response);
}
