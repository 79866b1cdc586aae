import { SvcError } from '../../src/errors.ts';

/** A Function URL or API Gateway v2 event (payload format 2.0): the parts that make a Request. */
export interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString?: string;
  readonly headers?: { readonly [name: string]: string | null | undefined } | null;
  readonly cookies?: readonly string[] | null;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: {
    readonly domainName?: string;
    readonly requestId?: string;
    readonly stage?: string;
    readonly http: { readonly method: string; readonly sourceIp?: string };
  };
}

/** Any invocation payload as an HttpEvent; throws request_invalid for other event shapes. */
export function parseEvent(event: unknown): HttpEvent {
  if (isHttpEvent(event)) return event;
  throw new SvcError(
    'request_invalid',
    'The event is neither a Function URL event nor an API Gateway event of payload format 2.0.',
  );
}

/** Whether the event came through a Function URL, the only one of the two that can stream. */
export function isFunctionUrl(event: HttpEvent): boolean {
  return /\.lambda-url\.[a-z0-9-]+\.on\.aws$/.test(event.requestContext.domainName ?? '');
}

/** The web Request that the client sent; null where host, method or a header is none that HTTP allows. */
export function toFetchRequest(event: HttpEvent, signal: AbortSignal): Request | null {
  const method = event.requestContext.http.method;
  const body = method === 'GET' || method === 'HEAD' ? null : bodyOf(event);
  try {
    return new Request(urlOf(event), { method, headers: headersOf(event), signal, body });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function isHttpEvent(event: unknown): event is HttpEvent {
  if (typeof event !== 'object' || event === null || !('rawPath' in event)) return false;
  const context = 'requestContext' in event ? event.requestContext : null;
  if (typeof event.rawPath !== 'string' || typeof context !== 'object' || context === null) return false;
  return 'http' in context && typeof context.http === 'object' && context.http !== null;
}

function urlOf(event: HttpEvent): URL {
  const host = event.headers?.host ?? event.requestContext.domainName ?? 'lambda';
  const url = new URL(`https://${host}`);
  url.pathname = withoutStage(event);
  url.search = event.rawQueryString ?? '';
  return url;
}

/** API Gateway puts a named stage in front of the path; the app knows no stages. */
function withoutStage(event: HttpEvent): string {
  const stage = event.requestContext.stage ?? '$default';
  const prefix = `/${stage}`;
  if (stage === '$default' || !`${event.rawPath}/`.startsWith(`${prefix}/`)) return event.rawPath;
  return event.rawPath.slice(prefix.length) || '/';
}

function headersOf(event: HttpEvent): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers ?? {})) {
    // the bytes as one character each, as every HTTP server hands them on: Headers refuses anything wider
    if (typeof value === 'string') headers.set(name, Buffer.from(value, 'utf8').toString('latin1'));
  }
  if (event.cookies?.length) headers.set('cookie', event.cookies.join('; '));
  return headers;
}

function bodyOf(event: HttpEvent): BodyInit | null {
  if (typeof event.body !== 'string') return null;
  return event.isBase64Encoded ? Buffer.from(event.body, 'base64') : event.body;
}
