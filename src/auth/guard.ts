import type { User } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { Auth, Authenticated } from './model.ts';

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
export function createAuthenticate(auth: () => Auth | null): (request: Request) => Promise<User | null> {
  return async (request) => {
    const own = auth();
    if (own === null) return null;
    const found = await own.authenticate(request, request.signal);
    if ('error' in found) throw withChallenge(found.error, found.challenge);
    granted.set(request, toGranted(own, request, found));
    if (own.hidesCredentials) hiding.add(request);
    return found.user;
  };
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
