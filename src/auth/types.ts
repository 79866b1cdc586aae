import type { User } from '../context.ts';
import type { KeyRing } from '../crypto/keys.ts';
import type { Sealer } from '../crypto/seal.ts';
import type { SvcError } from '../errors.ts';
import type { Log, TokenStore } from '../ports.ts';
import type { StaticClient } from '../settings/model.ts';
import type { GRANT_TYPES } from '../settings/schema/auth.ts';
import type { AccessRules } from './held-scopes.ts';
import type { Parameters } from './parameters.ts';
import type { PublicUrls } from './public-urls.ts';
import type { Scopes } from './scopes.ts';
import type { Provider } from './upstream/provider.ts';

/** Fetches the metadata document at a client id's URL. Must refuse private addresses. Throws client_invalid if there is no document. */
export type FetchDocument = (url: URL, signal: AbortSignal) => Promise<FetchedDocument>;

/** A fetched document: at most 5 KB of JSON, and its cache lifetime. */
interface FetchedDocument {
  readonly text: string;
  /** The `Cache-Control` header. */
  readonly cacheControl: string | null;
}

/** The parts of the authorization server that its endpoints share. */
export interface AuthServer {
  /** The name of this server on the consent page. */
  readonly project: string;
  readonly provider: Provider;
  readonly ring: KeyRing;
  readonly sealer: Sealer;
  readonly scopes: Scopes;
  readonly rules: AccessRules;
  readonly clients: readonly StaticClient[];
  /** Hashes of blocked client ids, in the form that tokens carry. */
  readonly blocked: ReadonlySet<string>;
  /** Stores sessions; null if the server keeps no state. */
  readonly store: TokenStore | null;
  /** Fetches the document of a client id that is a URL; null if such ids are not accepted. */
  readonly fetchDocument: FetchDocument | null;
  readonly log: Log;
  /** The time in milliseconds. */
  readonly now: () => number;
}

/** One request to an OAuth endpoint. */
export interface OAuthRequest {
  readonly request: Request;
  readonly urls: PublicUrls;
  readonly query: () => Parameters;
  /** Parses the body as a form. Throws request_invalid for another content type. */
  readonly form: () => Promise<Parameters>;
  readonly body: () => Promise<string>;
  readonly signal: AbortSignal;
}

/** Answers the requests to one OAuth endpoint. */
export type RouteHandler = (server: AuthServer, oauth: OAuthRequest) => Promise<Response>;

/** The user of a valid token. */
export interface Authenticated {
  readonly user: User;
  /** The scopes of the token that the user holds. */
  readonly scopes: readonly string[];
  /** All scopes that the user holds, so that a refusal can tell a small token from a small right. */
  readonly held: readonly string[];
  /** The login session, which is not an MCP session. */
  readonly sessionId: string | null;
  /** Aborts when the API key of the caller is removed or changed. Absent for other callers. */
  readonly revoked?: AbortSignal;
  /** Milliseconds until the token ends. Absent for a token without an end. */
  readonly lastsMs?: number;
}

/** The sender of a request. */
export interface Sender {
  readonly user: User | null;
  /** The login session; absent without a token. */
  readonly sessionId?: string | null;
  /** The scopes of the token, and the error for a call that needs others; absent without a token. */
  readonly grant?: {
    readonly scopes: readonly string[];
    readonly refuse: (needed: readonly string[]) => SvcError;
  };
  /** Whether SQL and Python may not read the headers that carry credentials. */
  readonly hidesCredentials?: boolean;
  /** Aborts when the API key of the caller is removed or changed. Absent for other callers. */
  readonly revoked?: AbortSignal;
  /** Milliseconds until the token ends. Absent for a token without an end. */
  readonly lastsMs?: number;
}

/** The reason for a rejected request, and the challenge that tells the client how to get a token. */
export interface AuthRejection {
  readonly error: SvcError;
  /** `WWW-Authenticate` (RFC 6750, 3; RFC 9728, 5.1). */
  readonly challenge: string;
}

/** A request that may be for an OAuth path. */
export interface AuthRequest {
  readonly request: Request;
  readonly body: () => Promise<string>;
  readonly signal: AbortSignal;
  /** Counts the request for its sender; throws rate_limited. */
  readonly count: () => void;
}

/** Awaited before a request to another server about an unknown sender. Throws rate_limited. */
export type Admit = () => Promise<void>;

/** The protection of the MCP endpoint, and the OAuth endpoints that issue tokens for it. */
export interface Auth {
  /** Whether SQL and Python may not read the headers that carry credentials. */
  readonly hidesCredentials: boolean;
  /** Whether API keys are the only tokens, so that nobody can sign in. */
  readonly keysOnly?: boolean;
  /** Authenticates a request to the MCP endpoint. */
  authenticate(request: Request, signal: AbortSignal, admit?: Admit): Promise<Authenticated | AuthRejection>;
  /** Rejects a call whose token lacks scopes of the call. The challenge names all needed scopes at once. */
  rejectScopes(request: Request, login: Authenticated, needed: readonly string[]): AuthRejection;
  /** Answers a request to an OAuth path; null for any other path. */
  respond(request: AuthRequest): Promise<Response> | null;
  /** Claims a key in the store for some seconds; true only for the first claim. Absent without a store. */
  readonly claimOnce?: (key: string, seconds: number) => Promise<boolean>;
}

/** A grant type that a client may use at the token endpoint. */
export type GrantType = (typeof GRANT_TYPES)[number];

/** The authentication method of a client. `secret`: HTTP Basic or the body, as the client prefers. */
export type ClientMethod = 'none' | 'secret' | 'client_secret_basic' | 'client_secret_post';

/** A program that requests tokens on behalf of users. */
export interface OAuthClient {
  /** The client id. For a dynamic client it contains the registration. */
  readonly id: string;
  /** The SHA-256 of the id, which is short enough for tokens. */
  readonly hash: string;
  readonly name: string;
  /** `static`: in the settings; `dynamic`: registered by itself; `document`: the id is a URL. */
  readonly kind: 'static' | 'dynamic' | 'document';
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly GrantType[];
  readonly method: ClientMethod;
  readonly scopes: readonly string[];
  /** The scopes for a request without scopes. */
  readonly defaultScopes: readonly string[];
  /** Checks a secret. Absent for public clients. */
  readonly isSecret?: (secret: string) => Promise<boolean>;
}
