import type { Log, TokenStore } from '../ports.ts';
import type { StaticClient } from '../settings/model.ts';
import type { KeyRing } from './keys.ts';
import type { Parameters } from './parameters.ts';
import type { Place } from './place.ts';
import type { Provider } from './provider.ts';
import type { Scopes } from './scopes.ts';
import type { Sealer } from './seal.ts';

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
export interface Exchange {
  readonly request: Request;
  readonly place: Place;
  readonly query: () => Parameters;
  /** The body as a form; throws request_invalid for anything else. */
  readonly form: () => Promise<Parameters>;
  readonly body: () => Promise<string>;
  readonly signal: AbortSignal;
}

/** Answers one endpoint. */
export type Endpoint = (server: AuthServer, exchange: Exchange) => Promise<Response>;
