import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Extra } from '../../src/app.ts';
import {
  type HttpEvent,
  type HttpHead,
  isFunctionUrl,
  parseEvent,
  pathOf,
  stagePath,
  toFetchRequest,
  toHead,
  toLambdaResult,
} from './event.ts';
import { createInvocation, type Invocation, type InvocationScope, type LambdaContext } from './invocation.ts';

/** The global `awslambda` of the managed Node runtime. */
export interface AwsLambda {
  streamifyResponse(handler: StreamHandler): unknown;
  readonly HttpResponseStream: { from(stream: Writable, head: HttpHead): Writable };
}

/** A handler that returns a whole payload. */
export type BufferedHandler = (event: unknown, context: LambdaContext) => Promise<unknown>;

/** A handler that writes its response as it is made. */
export type StreamHandler = (event: unknown, stream: Writable, context: LambdaContext) => Promise<void>;

/** Answers one HTTP request. */
export type Fetch = (request: Request, extra: Extra) => Response | Promise<Response>;

/** Returns the streaming interface of the runtime; null if it has none. */
function awsLambda(): AwsLambda | null {
  const found: unknown = Reflect.get(globalThis, 'awslambda');
  return isAwsLambda(found) ? found : null;
}

function isAwsLambda(value: unknown): value is AwsLambda {
  return typeof value === 'object' && value !== null && 'streamifyResponse' in value;
}

/** The form of responses: `buffered` is for API Gateway, and for Function URLs in BUFFERED mode. */
export interface LambdaHandlerOptions {
  readonly response?: 'stream' | 'buffered';
  /** Wraps each invocation. Default: nothing around it. */
  readonly scope?: InvocationScope;
}

/**
 * Creates the handler that Lambda calls. It streams if the runtime can, and sends whole responses to API Gateway v2.
 *
 *     export const handler = createLambdaHandler(app);
 */
export function createLambdaHandler(
  { fetch }: { readonly fetch: Fetch },
  { response = 'stream', scope = (_ids, run) => run() }: LambdaHandlerOptions = {},
): unknown {
  const lambda = response === 'buffered' ? null : awsLambda();
  if (lambda === null) return createHandler(fetch, scope);
  return lambda.streamifyResponse(createStreamHandler(fetch, scope, lambda));
}

/** Creates a handler for API Gateway v2 and for Function URLs in BUFFERED mode. */
export function createHandler(fetch: Fetch, scope: InvocationScope): BufferedHandler {
  return (event, context) =>
    withInvocation(event, context, scope, async (http, invocation) =>
      toLambdaResult(await respond(fetch, http, invocation), pathOf(http)),
    );
}

/** Creates a handler for Function URLs in RESPONSE_STREAM mode. API Gateway still receives one whole payload. */
export function createStreamHandler(fetch: Fetch, scope: InvocationScope, lambda: AwsLambda): StreamHandler {
  return (event, stream, context) =>
    withInvocation(event, context, scope, async (http, invocation) => {
      stream.once('close', () => invocation.abort());
      const response = await respond(fetch, http, invocation);
      if (isFunctionUrl(http))
        return send(response, lambda.HttpResponseStream.from(stream, toHead(response)));
      stream.end(JSON.stringify(await toLambdaResult(response, pathOf(http))));
    });
}

type Answer<T> = (event: HttpEvent, invocation: Invocation) => Promise<T>;

async function withInvocation<T>(
  event: unknown,
  context: LambdaContext,
  scope: InvocationScope,
  answer: Answer<T>,
): Promise<T> {
  const http = parseEvent(event);
  const invocation = createInvocation(context);
  const ids = { awsRequestId: context.awsRequestId, httpRequestId: http.requestContext.requestId ?? null };
  try {
    return await scope(
      ids,
      () => answer(http, invocation),
      () => context.getRemainingTimeInMillis(),
    );
  } finally {
    invocation.close();
  }
}

async function respond(fetch: Fetch, event: HttpEvent, invocation: Invocation): Promise<Response> {
  const request = toFetchRequest(event, invocation.signal);
  if (request === null) return new Response('Bad Request', { status: 400 });
  const { sourceIp: address } = event.requestContext.http;
  const pathPrefix = stagePath(event);
  return fetch(request, {
    ...(address === undefined ? {} : { address }),
    ...(pathPrefix === null ? {} : { pathPrefix }),
  });
}

async function send(response: Response, out: Writable): Promise<void> {
  // Lambda sends the head with the first write, and a response may have no body.
  out.write('');
  await pipeline(Readable.from(response.body ?? []), out);
}
