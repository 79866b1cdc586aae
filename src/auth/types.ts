import type { User } from '../context.ts';
import type { KeyRing } from '../crypto/keys.ts';
import type { Sealer } from '../crypto/seal.ts';
import type { SvcError } from '../errors.ts';
import type { Log, TokenStore } from '../ports.ts';
import type { StaticClient } from '../settings/model.ts';
import type { PublicUrls } from './issuer.ts';
import type { Parameters } from './parameters.ts';
import type { Scopes } from './scopes.ts';
import type { Provider } from './upstream/provider.ts';

/** A document from the web that a client id names, fetched where no address inside can be reached; throws SvcError. */
export type FetchDocument = (url: URL, signal: AbortSignal) => Promise<FetchedDocument>;

/** What was fetched: at most 5 KB of JSON, and how long it may be kept. */
export interface FetchedDocument {
  readonly text: string;
  /** The header `Cache-Control`. */
  readonly cacheControl: string | null;
}

/** What every endpoint of the authorization server works with. */
export interface AuthServer {
  /** What the consent page calls this server. */
  readonly project: string;
  readonly provider: Provider;
  readonly ring: KeyRing;
  readonly sealer: Sealer;
  readonly scopes: Scopes;
  readonly clients: readonly StaticClient[];
  /** Hashes of client ids, as tokens have them. */
  readonly blocked: ReadonlySet<string>;
  /** Null: nothing is remembered. */
  readonly store: TokenStore | null;
  /** Null: clients that are known by a document are not taken. */
  readonly fetchDocument: FetchDocument | null;
  readonly log: Log;
  /** Milliseconds. */
  readonly now: () => number;
}

/** One request to an endpoint of the authorization server. */
export interface OAuthRequest {
  readonly request: Request;
  readonly urls: PublicUrls;
  readonly query: () => Parameters;
  /** The body as a form; throws request_invalid for anything else. */
  readonly form: () => Promise<Parameters>;
  readonly body: () => Promise<string>;
  readonly signal: AbortSignal;
}

/** Answers one endpoint. */
export type RouteHandler = (server: AuthServer, exchange: OAuthRequest) => Promise<Response>;

/** Somebody whose token is good. */
export interface Authenticated {
  readonly user: User;
  readonly scopes: readonly string[];
  /** Names the sign-in; it is no MCP session. */
  readonly sessionId: string | null;
}

/** Why a request is refused, and what the client is to do about it. */
export interface AuthRejection {
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
  authenticate(request: Request, signal: AbortSignal): Promise<Authenticated | AuthRejection>;
  /** The challenge for a caller whose token lacks scopes: all that are needed at once. */
  challenge(request: Request, held: readonly string[], needed: readonly string[]): string;
  /** Answers a path of authentication; null for any other. */
  respond(request: AuthRequest): Promise<Response> | null;
}
