import { TRANSPORTS } from './transports.ts';

/** The paths of the app, without the callback of sign-in, which the operator chooses, and without the metadata. */
export const PATHS = {
  landing: '/',
  mcp: TRANSPORTS['streamable-http'].path,
  sse: TRANSPORTS.sse.path,
  messages: '/messages',
  health: '/health',
  ready: '/ready',
  authorize: '/authorize',
  logout: '/logout',
  token: '/token',
  register: '/register',
  revoke: '/revoke',
} as const;

/** The beginning of the paths of metadata (RFC 8615). */
const WELL_KNOWN = '/.well-known/';

/** Whether the app itself answers at a path, with or without a slash at its end. */
export function isServedPath(path: string): boolean {
  const served: readonly string[] = Object.values(PATHS);
  return served.includes(withoutSlash(path)) || path.startsWith(WELL_KNOWN);
}

/** Removes the trailing slash of a path. */
export function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
