import type { User } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { Sender } from './types.ts';

/** The user whom the program around the app has signed in. */
export interface SignedIn {
  /** Fields that are left out are null or empty. Null admits an anonymous caller on purpose. */
  readonly user: (Partial<User> & Pick<User, 'id'>) | null;
  /** The scopes that the user holds. Default: none, so endpoints with scopes refuse the call. */
  readonly scopes?: readonly string[];
}

/** Identifies the user of a request. Null, or a thrown SvcError, refuses the request. */
export type Authenticate = (request: Request) => Promise<SignedIn | null>;

/** Returns the sender of a request. Throws `token_missing` if the host does not know the sender. */
export async function senderOf(authenticate: Authenticate, request: Request): Promise<Sender> {
  const found = await authenticate(request);
  if (found === null) throw notSignedIn();
  const { user, scopes = [] } = found;
  return {
    user: user === null ? null : { ...NO_FACTS, ...user },
    grant: { scopes, refuse: lacksScopes },
    // The host's own sessions are nothing for the SQL and the Python of endpoints.
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
