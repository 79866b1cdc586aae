import { SvcError } from '../../src/errors.ts';
import type { TransportSettings } from '../../src/settings/model.ts';

/** The address by which clients reach a server. */
export interface Address {
  /** Without a slash at the end. The issuer must equal it exactly. */
  readonly base: string;
  /** The MCP endpoint. The resource must equal it exactly. */
  readonly mcp: string;
  /** The MCP endpoint with the query that was given, such as `?tags=orders`. */
  readonly mcpWithQuery: string;
  readonly origin: string;
  /** The path of `base`; empty if there is none. */
  readonly prefix: string;
}

/** Parses an address with or without `/mcp` at its end. Throws usage. */
export function toAddress(text: string): Address {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new SvcError('usage', `--url ${text} is not an address. Write it as https://mcp.example.com.`);
  }
  const { origin, pathname, search, username, password } = new URL(text);
  if (username !== '' || password !== '') {
    throw new SvcError(
      'usage',
      `--url has a user name or a password, which MCP clients do not send. Write it as ${origin}${pathname}.`,
    );
  }
  const prefix = pathname.replace(/\/+$/, '').replace(/\/mcp$/, '');
  const mcp = `${origin}${prefix}/mcp`;
  return { base: `${origin}${prefix}`, mcp, mcpWithQuery: `${mcp}${search}`, origin, prefix };
}

const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** The address of the server according to its settings. */
export function configuredAddress({ base_url, scheme, host, port }: TransportSettings['http']): Address {
  if (base_url !== null) return toAddress(base_url);
  const name = EVERYWHERE.includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return toAddress(`${scheme}://${name}:${port}`);
}
