import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Extra } from '../../src/app.ts';
import { type HttpEvent, isFunctionUrl, parseEvent, toFetchRequest } from './event.ts';
import { createInvocation, type Invocation } from './invocation.ts';
import type { AwsLambda, BufferedHandler, LambdaContext, StreamHandler } from './platform.ts';
import { toHead, toLambdaResult } from './result.ts';

/** Answers one HTTP request. */
export type Fetch = (request: Request, extra: Extra) => Response | Promise<Response>;

/** Runs a piece of work so that every log line of it names the invocation, which has so many milliseconds left. */
export type InvocationScope = <T>(
  ids: InvocationIds,
  run: () => Promise<T>,
  left: () => number,
) => Promise<T>;

/** Lambda's id of the invocation and the gateway's id of the HTTP request. */
export interface InvocationIds {
  readonly awsRequestId: string;
  readonly httpRequestId: string | null;
}

/** A handler for API Gateway v2 and for Function URLs in BUFFERED mode. */
export function createHandler(fetch: Fetch, scope: InvocationScope): BufferedHandler {
  return (event, context) =>
    withInvocation(event, context, scope, async (http, invocation) =>
      toLambdaResult(await respond(fetch, http, invocation)),
    );
}

/** A handler for Function URLs in RESPONSE_STREAM mode; API Gateway still gets one whole payload. */
export function createStreamHandler(fetch: Fetch, scope: InvocationScope, lambda: AwsLambda): StreamHandler {
  return (event, stream, context) =>
    withInvocation(event, context, scope, async (http, invocation) => {
      stream.once('close', () => invocation.abort());
      const response = await respond(fetch, http, invocation);
      if (isFunctionUrl(http))
        return send(response, lambda.HttpResponseStream.from(stream, toHead(response)));
      stream.end(JSON.stringify(await toLambdaResult(response)));
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
  const { sourceIp } = event.requestContext.http;
  return fetch(request, sourceIp === undefined ? {} : { address: sourceIp });
}

async function send(response: Response, out: Writable): Promise<void> {
  // Lambda sends the head with the first write, and a body may have none
  out.write('');
  await pipeline(Readable.from(response.body ?? []), out);
}
