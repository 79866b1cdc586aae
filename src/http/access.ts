import { SvcError } from '../errors.ts';
import type { TransportSettings } from '../settings/model.ts';

/** Who may reach the server by which name; null allows all. */
export interface HttpAccess {
  /** Host names without ports. */
  readonly allowedHosts: readonly string[] | null;
  /** Host names (any scheme and port) or whole origins. */
  readonly allowedOrigins: readonly string[] | null;
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Any name and any origin: for servers behind a platform's own front door. */
export const OPEN_ACCESS: HttpAccess = { allowedHosts: null, allowedOrigins: null };

/** The names of this machine only: a web page cannot reach the server by DNS rebinding. */
export const LOCAL_ACCESS: HttpAccess = { allowedHosts: LOOPBACK, allowedOrigins: LOOPBACK };

/** What suits the address a server binds to. */
export function httpAccessOf(host: string): HttpAccess {
  const local = LOOPBACK.includes(host) || host === '::1' || host.startsWith('127.');
  return local ? LOCAL_ACCESS : OPEN_ACCESS;
}

/** What the configuration says about names: those of the public address and those that are listed; `*` allows all. */
export type Names = Pick<TransportSettings['http'], 'base_url' | 'allowed_hosts' | 'allowed_origins'>;

/** Adds what the configuration names to what suits the server; where all were allowed, a list leaves only its own. */
export function withNames(
  access: HttpAccess,
  { base_url, allowed_hosts, allowed_origins }: Names,
): HttpAccess {
  const known = base_url === null ? [] : [new URL(base_url).hostname];
  return {
    allowedHosts: merge(access.allowedHosts, allowed_hosts, known),
    allowedOrigins: merge(access.allowedOrigins, allowed_origins, known),
  };
}

function merge(
  allowed: readonly string[] | null,
  listed: readonly string[] | null,
  known: readonly string[],
): readonly string[] | null {
  if (listed === null) return allowed && [...allowed, ...known];
  return listed.includes('*')
    ? null
    : [...(allowed ?? []), ...listed.map((name) => name.toLowerCase()), ...known];
}

/** Throws `denied` for a Host or Origin that is not allowed (MCP Transports, "Security Warning"). */
export function enforceAccess(headers: Headers, { allowedHosts, allowedOrigins }: HttpAccess): void {
  const host = headers.get('host') ?? '';
  if (allowedHosts !== null && !allowedHosts.includes(host.replace(/:\d+$/, '').toLowerCase())) {
    throw new SvcError('denied', `This server does not answer to the host ${shorten(host)}.`);
  }
  const origin = headers.get('origin');
  if (origin === null || allowedOrigins === null) return;
  const name = hostname(origin);
  if (allowedOrigins.some((allowed) => allowed === (allowed.includes('://') ? origin : name))) return;
  throw new SvcError('denied', `This server does not answer to the origin ${shorten(origin)}.`);
}

/** Empty for what is no URL: that equals no allowed name. */
function hostname(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : '';
}

function shorten(value: string): string {
  return JSON.stringify(value.slice(0, 100));
}
