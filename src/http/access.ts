import { SvcError } from '../errors.ts';
import type { TransportSettings } from '../settings/model.ts';

/** The host names and origins that may reach the server. Null allows all. */
export interface HttpAccess {
  /** Host names without ports. */
  readonly allowedHosts: readonly string[] | null;
  /** Whether every IP address is a host too. DNS rebinding needs a name, so an address is safe. */
  readonly addresses?: boolean;
  /** Host names (any scheme and port) or whole origins. */
  readonly allowedOrigins: readonly string[] | null;
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Allows any host and origin, for servers behind a platform's own entrance. */
export const OPEN_ACCESS: HttpAccess = { allowedHosts: null, allowedOrigins: null };

/** Allows the names of this machine only, so that no web page reaches the server by DNS rebinding. */
export const LOCAL_ACCESS: HttpAccess = { allowedHosts: LOOPBACK, allowedOrigins: LOOPBACK };

/** Allows any host and no web page, for servers without sign-in behind a platform's own entrance. */
export const ANONYMOUS_ACCESS: HttpAccess = { allowedHosts: null, allowedOrigins: [] };

/** The name or address that a server binds to, and whether its callers must have tokens. */
interface Bind {
  readonly host: string;
  readonly signIn: boolean;
}

/** The default access for the address that a server binds to. */
export function httpAccessOf({ host, signIn }: Bind): HttpAccess {
  if (isLoopback(host)) return localAccess(host);
  if (signIn) return OPEN_ACCESS;
  const names = isAddress(host) ? LOOPBACK : [...LOOPBACK, host.toLowerCase()];
  return { allowedHosts: names, addresses: true, allowedOrigins: LOOPBACK };
}

/** Any address that begins with 127 is this machine, and a server may bind to one of them alone. */
function localAccess(host: string): HttpAccess {
  if (!host.startsWith('127.') || LOOPBACK.includes(host)) return LOCAL_ACCESS;
  const names = [...LOOPBACK, host];
  return { allowedHosts: names, allowedOrigins: names };
}

/** Whether only programs of the same machine reach a server that binds to this host. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(host) || host === '::1' || (isAddress(host) && host.startsWith('127.'));
}

function isAddress(host: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) || host.includes(':');
}

/** The configured names: the public address and the lists, in which `*` allows all. */
type ConfiguredNames = Pick<TransportSettings['http'], 'base_url' | 'allowed_hosts' | 'allowed_origins'>;

/** Adds the configured names to the default access. If the default allows all, a list restricts it to its own names. */
export function withNames(
  access: HttpAccess,
  { base_url, allowed_hosts, allowed_origins }: ConfiguredNames,
): HttpAccess {
  const own = base_url === null ? [] : [new URL(base_url).hostname];
  return {
    ...(access.addresses && !allowed_hosts?.includes('*') ? { addresses: true } : {}),
    allowedHosts: merge(access.allowedHosts, allowed_hosts, own),
    allowedOrigins: merge(access.allowedOrigins, allowed_origins, own),
  };
}

function merge(
  allowed: readonly string[] | null,
  listed: readonly string[] | null,
  own: readonly string[],
): readonly string[] | null {
  if (listed === null) return allowed && [...allowed, ...own];
  return listed.includes('*')
    ? null
    : [...(allowed ?? []), ...listed.map((name) => name.toLowerCase()), ...own];
}

/** The access to health checks, whose senders, such as a load balancer, know an address of the server and not its name. */
export function toProbeAccess(access: HttpAccess): HttpAccess {
  const { allowedHosts } = access;
  return { ...access, addresses: true, allowedHosts: allowedHosts && [...allowedHosts, ...LOOPBACK] };
}

/**
 * Throws denied for a Host or Origin that is not allowed (MCP Transports, "Security Warning"). A server with sign-in
 * answers to its own pages under each name that it has. A page that reached it by DNS rebinding passes too, without a
 * token.
 */
export function enforceAccess(
  headers: Headers,
  { allowedHosts, allowedOrigins, addresses = false }: HttpAccess,
  { signIn }: { readonly signIn: boolean },
): void {
  const host = headers.get('host') ?? '';
  const named = host.replace(/:\d+$/, '').toLowerCase();
  if (allowedHosts !== null && !allowedHosts.includes(named) && !(addresses && isAddress(named))) {
    throw new SvcError('denied', `This server does not answer to the host ${shorten(host)}.`);
  }
  const origin = headers.get('origin');
  if (origin === null || allowedOrigins === null) return;
  const name = hostname(origin);
  if (signIn && name !== '' && name === named) return;
  if (allowedOrigins.some((allowed) => allowed === (allowed.includes('://') ? origin : name))) return;
  throw new SvcError('denied', `This server does not answer to the origin ${shorten(origin)}.`);
}

/** The host name of an origin; empty, and thus never allowed, for an invalid URL. */
function hostname(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : '';
}

function shorten(value: string): string {
  return JSON.stringify(value.slice(0, 100));
}
