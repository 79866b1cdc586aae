import type { RequestId, ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';
import type { Changes } from './changes.ts';
import type { Era } from './era.ts';
import type { Sealer } from './seal.ts';

/** How a project is served, whatever the transport. */
export interface ServeOptions {
  readonly version: string;
  readonly instructions?: string;
  /** Items on one page of a list. */
  readonly pageSize?: number;
  /** Whether the lists depend on who asks; then no shared cache may keep them. */
  readonly private?: boolean;
  /** Whether clients of the legacy era have sessions, so that what they ask for once can be kept. */
  readonly sessions?: boolean;
  /** Where changes are told of, on a server that lives long; absent elsewhere. */
  readonly changes?: Changes;
  /** Whether the lists may change while it is served. */
  readonly reloads?: boolean;
  /** Seals what a call has been told while its client looks for answers; the default lives as long as this module. */
  readonly sealer?: () => Sealer | null;
}

/** What one server needs beside the runtime. */
export interface ServerParts extends ServeOptions {
  readonly era: Era;
  readonly callerOf: (context: ServerContext) => Caller;
  /** The id that the client gave to a request. */
  readonly idOf: (context: ServerContext) => RequestId;
}
