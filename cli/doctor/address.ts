import { SvcError } from '../../src/errors.ts';
import type { TransportSettings } from '../../src/settings/model.ts';

/** Where clients reach a server. */
export interface Address {
  /** Without a slash at the end: what the issuer must be, letter for letter. */
  readonly base: string;
  /** The MCP endpoint: what the resource must be. */
  readonly mcp: string;
  readonly origin: string;
  /** The path of `base`, empty for none. */
  readonly prefix: string;
}

/** The address as given, with `/mcp` at its end or without. */
export function toAddress(text: string): Address {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new SvcError('usage', `--url ${text} is no address. Write it as https://mcp.example.com.`);
  }
  const { origin, pathname } = new URL(text);
  const prefix = pathname.replace(/\/+$/, '').replace(/\/mcp$/, '');
  return { base: `${origin}${prefix}`, mcp: `${origin}${prefix}/mcp`, origin, prefix };
}

const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** Where the settings say that the server is. */
export function addressOf({ base_url, scheme, host, port }: TransportSettings['http']): Address {
  if (base_url !== null) return toAddress(base_url);
  const name = EVERYWHERE.includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return toAddress(`${scheme}://${name}:${port}`);
}
