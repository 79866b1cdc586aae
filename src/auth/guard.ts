import type { User } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { Spans } from '../ports.ts';
import type { Auth, Authenticated, AuthRejection } from './types.ts';

/** What a caller's token grants, for whoever carries its message on. */
export interface Granted {
  readonly sessionId: string | null;
  readonly grant: {
    readonly scopes: readonly string[];
    /** The refusal of a call for which scopes are missing. */
    readonly refuse: (needed: readonly string[]) => SvcError;
  };
}

const granted = new WeakMap<Request, Granted>();
const hiding = new WeakSet<Request>();

const CREDENTIALS: readonly string[] = ['authorization', 'cookie', 'dpop'];

/** Who sends a request, as admission asks it; throws what `auth` refuses, with its challenge. */
export function createAuthenticate(
  auth: () => Auth | null,
  spans: () => Spans,
): (request: Request) => Promise<User | null> {
  return async (request) => {
    const own = auth();
    if (own === null) return null;
    const found = await traced(spans(), request, () => own.authenticate(request, request.signal));
    if ('error' in found) throw withChallenge(found.error, found.challenge);
    granted.set(request, toGranted(own, request, found));
    if (own.hidesCredentials) hiding.add(request);
    return found.user;
  };
}

/** Authentication as a span of its own: a call's tree begins when it is known whose call it is (spec, "Spans"). */
function traced(spans: Spans, request: Request, ask: () => Promise<Authenticated | AuthRejection>) {
  return spans.trace('svc.auth.authenticate', {}, request.headers.get('traceparent'), async (span) => {
    const found = await ask();
    const provider = 'user' in found ? found.user?.provider : null;
    span.set({ 'svc.auth.authenticated': 'user' in found });
    if (provider) span.set({ 'svc.auth.provider': provider });
    return found;
  });
}

/** What the token of a request grants, once it is authenticated; nothing where nobody asks for tokens. */
export function grantedTo(request: Request): Partial<Granted> {
  return granted.get(request) ?? {};
}

/** The headers that SQL and Python may read (`auth.hide_credential_headers`). */
export function visibleHeaders(request: Request): ReadonlyMap<string, string> {
  const headers = new Map(request.headers);
  if (hiding.has(request)) for (const name of CREDENTIALS) headers.delete(name);
  return headers;
}

function toGranted(auth: Auth, request: Request, { scopes, sessionId }: Authenticated): Granted {
  const refuse = (needed: readonly string[]) => {
    const error = new SvcError('scope_insufficient', `The token must hold all of: ${needed.join(' ')}.`);
    return withChallenge(error, auth.challenge(request, scopes, needed));
  };
  return { sessionId, grant: { scopes, refuse } };
}

function withChallenge({ code, message, cause, detail }: SvcError, challenge: string): SvcError {
  return new SvcError(code, message, { cause, detail: { ...detail, challenge } });
}
