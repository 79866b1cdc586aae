import type { User } from '../context.ts';
import type { SvcError } from '../errors.ts';

/** Somebody whose token is good. */
export interface Authenticated {
  readonly user: User;
  readonly scopes: readonly string[];
  /** Names the sign-in; it is no MCP session. */
  readonly sessionId: string | null;
}

/** Why a request is refused, and what the client is to do about it. */
export interface Refusal {
  readonly error: SvcError;
  /** `WWW-Authenticate` (RFC 6750, 3; RFC 9728, 5.1). */
  readonly challenge: string;
}

/** A request for one of the paths of authentication. */
export interface AuthRequest {
  readonly request: Request;
  readonly body: () => Promise<string>;
  readonly signal: AbortSignal;
  /** Counts the request for whoever sends it; throws rate_limited. */
  readonly count: () => void;
}

/** What protects the MCP endpoint, and the endpoints at which clients get tokens for it. */
export interface Auth {
  /** Whether SQL and Python are kept from the headers that carry credentials. */
  readonly hidesCredentials: boolean;
  /** Who sends a request to the MCP endpoint. */
  authenticate(request: Request, signal: AbortSignal): Promise<Authenticated | Refusal>;
  /** The challenge for a caller whose token lacks scopes: all that are needed at once. */
  challenge(request: Request, held: readonly string[], needed: readonly string[]): string;
  /** Answers a path of authentication; null for any other. */
  respond(request: AuthRequest): Promise<Response> | null;
}
