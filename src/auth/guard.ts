import { SvcError } from '../errors.ts';
import type { Spans } from '../ports.ts';
import type { Auth, Authenticated, AuthRejection, Sender } from './types.ts';

const CREDENTIALS: readonly string[] = ['authorization', 'cookie', 'dpop'];

/** Identifies the sender of a request; null if sign-in is off. Throws the rejection, its challenge in the detail. */
export async function authenticateSender(
  auth: Auth | null,
  spans: Spans,
  request: Request,
): Promise<Sender | null> {
  if (auth === null) return null;
  const found = await traced(spans, request, () => auth.authenticate(request, request.signal));
  if ('error' in found) throw withChallenge(found);
  const { user, scopes, sessionId, revoked } = found;
  const refuse = (needed: readonly string[]) => withChallenge(auth.rejectScopes(request, found, needed));
  // An API key lasts long, so SQL and Python never see one.
  const hidesCredentials = auth.hidesCredentials || user?.apiKey !== undefined;
  return { user, sessionId, grant: { scopes, refuse }, hidesCredentials, ...(revoked && { revoked }) };
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
