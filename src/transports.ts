/** The facts about one transport of MCP. */
interface TransportFacts {
  /** `caller_type` in audit records, and the `type` of a server in the configuration of clients. */
  readonly callerType: string;
  /** The path of its HTTP endpoint; null for a transport without HTTP. */
  readonly path: string | null;
  /** Whether MCP has replaced it. */
  readonly deprecated: boolean;
}

/** The transports, by their names in `transport.provider` and `--transport`. All other lists derive from this one. */
export const TRANSPORTS = {
  'streamable-http': { callerType: 'http', path: '/mcp', deprecated: false },
  sse: { callerType: 'sse', path: '/sse', deprecated: true },
  stdio: { callerType: 'stdio', path: null, deprecated: false },
} as const satisfies { readonly [name: string]: TransportFacts };

/** The name of a transport. */
export type TransportName = keyof typeof TRANSPORTS;

/** The transport of a server that chooses none. */
export const DEFAULT_TRANSPORT = 'streamable-http' satisfies TransportName;

/** The names, in the order of the record. */
export const TRANSPORT_NAMES = Object.keys(TRANSPORTS) as TransportName[];

/** The `caller_type` of an audit record: that of a transport, or `cli` for calls of the command line. */
export type CallerType = (typeof TRANSPORTS)[TransportName]['callerType'] | 'cli';

/** Lists the transports for help: `streamable-http (default), sse (deprecated), stdio`. */
export function listTransports(): string {
  return TRANSPORT_NAMES.map((name) => {
    if (name === DEFAULT_TRANSPORT) return `${name} (default)`;
    return TRANSPORTS[name].deprecated ? `${name} (deprecated)` : name;
  }).join(', ');
}
