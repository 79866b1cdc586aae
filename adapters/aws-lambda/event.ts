import { SvcError } from '../../src/errors.ts';
import { toErrorAnswer } from '../../src/http/errors.ts';

/** The parts we use of a Function URL or API Gateway v2 event (payload format 2.0). */
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

/** The head of a response, as a Function URL and API Gateway expect it; also the prelude of a streamed response. */
export interface HttpHead {
  readonly statusCode: number;
  readonly headers: { readonly [name: string]: string };
  readonly cookies: readonly string[];
}

/** A whole response (payload format 2.0). */
export interface HttpResult extends HttpHead {
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Parses the payload of an invocation; throws `request_invalid` for another kind of event. */
export function parseEvent(event: unknown): HttpEvent {
  if (isHttpEvent(event)) return event;
  throw new SvcError(
    'request_invalid',
    'The event is neither a Function URL event nor an API Gateway event of payload format 2.0.',
  );
}

/** Returns whether the event came through a Function URL. API Gateway cannot stream. */
export function isFunctionUrl(event: HttpEvent): boolean {
  return /\.lambda-url\.[a-z0-9-]+\.on\.aws$/.test(event.requestContext.domainName ?? '');
}

/** Converts an event to the request that the client sent; null if HTTP does not allow its host, method or a header. */
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

/** Converts the head of a response: cookies apart, repeated headers joined. */
export function toHead(response: Response): HttpHead {
  const headers: Record<string, string> = {};
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') headers[name] = value;
  }
  return { statusCode: response.status, headers, cookies: response.headers.getSetCookie() };
}

/** The largest payload that Lambda passes on as a whole, in bytes. */
const MOST_BYTES = 6_291_556;
/** The most bytes of a payload that a byte of the body becomes, as \u0000 does. */
const MOST_PER_BYTE = 6;

/**
 * Converts a whole response. A body that is not text becomes base64. A response that is too large for Lambda becomes an
 * error that says so: otherwise the client would get the platform's own without a reason.
 */
export async function toLambdaResult(response: Response, path = '/'): Promise<HttpResult> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isBase64Encoded = !isText(response.headers);
  const body = bytes.toString(isBase64Encoded ? 'base64' : 'utf8');
  const result = { ...toHead(response), body, isBase64Encoded };
  if (bytes.length * MOST_PER_BYTE <= MOST_BYTES) return result;
  const size = Buffer.byteLength(JSON.stringify(result));
  return size <= MOST_BYTES ? result : toLambdaResult(tooLarge(size, path, response.headers));
}

/** Pages of other origins can read it if they could read the answer. */
function tooLarge(bytes: number, path: string, answered: Headers): Response {
  const message = `The answer has ${(bytes / 1_048_576).toFixed(1)} MiB as Lambda sends it, and API Gateway and buffered Function URLs pass on 6 MiB. Ask for fewer rows or columns, or call a Function URL that streams.`;
  const { status, body } = toErrorAnswer(new SvcError('result_too_large', message), path, '');
  const headers = [...answered].filter(([name]) => name.startsWith('access-control-') || name === 'vary');
  return Response.json(body, { status, headers });
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
  url.pathname = pathOf(event);
  url.search = event.rawQueryString ?? '';
  return url;
}

/** The path without the named stage that API Gateway puts in front of it. The app does not know stages. */
export function pathOf(event: HttpEvent): string {
  const stage = event.requestContext.stage ?? '$default';
  const prefix = `/${stage}`;
  if (stage === '$default' || !`${event.rawPath}/`.startsWith(`${prefix}/`)) return event.rawPath;
  return event.rawPath.slice(prefix.length) || '/';
}

const OWN_DOMAIN = /\.execute-api\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/;

/**
 * The path of the named stage in all public addresses, such as `/prod`; null for `$default`, for a Function URL, and for a
 * domain of one's own, which may be mapped to a stage.
 */
export function stagePath({
  requestContext: { stage = '$default', domainName = '' },
}: HttpEvent): string | null {
  return stage === '$default' || !OWN_DOMAIN.test(domainName) ? null : `/${stage}`;
}

function headersOf(event: HttpEvent): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers ?? {})) {
    // Each byte becomes one character, as in every HTTP server: Headers rejects wider characters.
    if (typeof value === 'string') headers.set(name, Buffer.from(value, 'utf8').toString('latin1'));
  }
  if (event.cookies?.length) headers.set('cookie', event.cookies.join('; '));
  return headers;
}

function bodyOf(event: HttpEvent): BodyInit | null {
  if (typeof event.body !== 'string') return null;
  return event.isBase64Encoded ? Buffer.from(event.body, 'base64') : event.body;
}

function isText(headers: Headers): boolean {
  if (/[^\s]/.test(headers.get('content-encoding')?.replace('identity', '') ?? '')) return false;
  const type = headers.get('content-type') ?? '';
  return (
    type === '' ||
    /^text\/|^application\/(?:json|xml|javascript|yaml)\b|^[\w.-]+\/[\w.-]+\+(?:json|xml)\b/i.test(type)
  );
}
