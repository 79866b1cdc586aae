import { Hono } from 'hono';
import { messageOf, SvcError, toSvcError } from '../errors.ts';
import { toDocsPage } from '../pages/admin-docs.ts';
import { toPage } from '../pages/page.ts';
import type { Clock, Log } from '../ports.ts';
import { toAdminError } from './errors.ts';
import { toOpenApi } from './openapi.ts';
import { ROUTES } from './routes.ts';
import type { AdminSource } from './source.ts';

/** The parts that the admin API needs. */
interface AdminOptions {
  readonly source: AdminSource;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether errors include their code and causes. */
  readonly debug: boolean;
  /** Answers the page at `/` and its requests; null for any other path. */
  readonly workbench: (request: Request) => Promise<Response | null>;
}

/** The admin API: its operations, their OpenAPI document, the workbench and pages about the API. */
export interface Admin {
  fetch(request: Request): Promise<Response>;
  /** The response to bytes that are no valid request, with the parser's error. */
  rejectMalformed(cause: unknown): Response;
}

/**
 * Creates the app for the admin API, which is separate from the MCP
 * app and for a Unix socket only (spec, "Admin API"; design, D12).
 */
export function createAdmin({ source, clock, log, debug, workbench }: AdminOptions): Admin {
  const hono = new Hono();
  const described = toOpenApi();
  hono.use(async (c, next) => {
    enforceOwnPage(c.req.raw.headers);
    const page = await workbench(c.req.raw);
    if (page !== null) return page;
    await next();
    c.res.headers.set('cache-control', 'no-store');
    return undefined;
  });
  for (const { method, path, answer } of ROUTES) {
    hono.on(method, path, async (c) => {
      const query = new URL(c.req.url).searchParams;
      return c.json((await answer({ source, clock, query })) as never);
    });
  }
  hono.get('/openapi.json', (c) => c.json(described));
  hono.get('/docs', () => toPage(toDocsPage(described, 'try')));
  hono.get('/redoc', () => toPage(toDocsPage(described, 'read')));
  hono.all('*', (c) => refuse(c.req.method, c.req.path, debug));
  hono.onError((thrown) => {
    const error = toSvcError(thrown);
    if (error.code === 'internal') log({ level: 'error', message: `admin: ${error.message}` });
    return toAdminError(error, debug);
  });
  return {
    fetch: async (request) => hono.fetch(request),
    rejectMalformed: (cause) => {
      const message = `This is not a valid HTTP request: ${messageOf(cause)}.`;
      return toAdminError(new SvcError('request_invalid', message, { cause }), debug);
    },
  };
}

/** Rejects web pages of others, which reach a socket that is forwarded: they send another host name or their origin. */
function enforceOwnPage(headers: Headers): void {
  const [host, origin] = [headers.get('host'), headers.get('origin')];
  if (host !== null && !/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host))
    throw new SvcError('denied', 'The admin API accepts the host name localhost only.');
  if (origin !== null && origin !== `http://${host}`)
    throw new SvcError('denied', 'The admin API accepts no request of a web page of another origin.');
}

const PAGES = ['/', '/docs', '/redoc', '/openapi.json'];

/** The response to a wrong method names the allowed ones (RFC 9110, 15.5.6). */
function refuse(method: string, path: string, debug: boolean): Response {
  const allowed = methodsOf(path);
  if (allowed === null)
    throw new SvcError('not_found', `There is no ${path}; /openapi.json lists all paths.`);
  const refused = toAdminError(new SvcError('method_not_allowed', `${path} does not take ${method}.`), debug);
  refused.headers.set('allow', allowed);
  return refused;
}

function methodsOf(path: string): string | null {
  if (PAGES.includes(path)) return 'GET, HEAD';
  const route = ROUTES.find((known) => known.path === path);
  if (route === undefined) return null;
  return route.method === 'get' ? 'GET, HEAD' : 'POST';
}
