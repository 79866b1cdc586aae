import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { HttpEvent, HttpHead, HttpResult } from '../../../../adapters/aws-lambda/event.ts';
import type { InvocationResult, RuntimeApi } from './runtime-api.ts';

/** The service in front of the function. It decides the form of events and whether responses may stream. */
export type Gateway = 'function-url' | 'api-gateway';

/** The service in front of a function, with its port and time limit in milliseconds. */
interface FrontOptions {
  readonly gateway: Gateway;
  readonly timeoutMs: number;
  /** 0 takes any free port. */
  readonly port: number;
}

/** The HTTP address of a function. */
interface Front {
  readonly url: URL;
  close(): void;
}

const FRAMED = 'application/vnd.awslambda.http-integration-response';

/** The host names of functions on AWS. The platform puts them in place of the client's `Host`. */
export const LAMBDA_DOMAINS = {
  'function-url': 'abc123.lambda-url.eu-central-1.on.aws',
  'api-gateway': 'abc123.execute-api.eu-central-1.amazonaws.com',
};

/** Serves HTTP: each request becomes an event, and the function's result the response. */
export async function startFront(api: RuntimeApi, options: FrontOptions): Promise<Front> {
  const server = createServer((request, response) => {
    pass({ api, ...options }, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
  });
  await once(server.listen(options.port, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Route extends FrontOptions {
  readonly api: RuntimeApi;
}

async function pass(
  { api, gateway, timeoutMs }: Route,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await api.invoke(toEvent(gateway, request, await buffer(request)), timeoutMs);
  // Lambda does not tell a function that its client has gone, so the rest of the response is dropped.
  response.on('error', () => {});
  if (answer.headers['content-type'] === FRAMED) return passFramed(answer, response);
  const result: HttpResult = JSON.parse((await buffer(answer)).toString());
  writeHead(response, result);
  response.end(Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8'));
}

function toEvent(gateway: Gateway, request: IncomingMessage, body: Buffer): HttpEvent {
  const url = new URL(request.url ?? '/', 'http://front');
  const domainName = LAMBDA_DOMAINS[gateway];
  const { cookie, ...headers } = request.headersDistinct;
  const joined = Object.entries(headers).map(([name, values]) => [name, values?.join(',')]);
  const isBase64Encoded = !isText(request.headers['content-type']);
  return {
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    headers: { ...Object.fromEntries(joined), host: domainName, 'x-forwarded-proto': 'https' },
    ...(cookie && { cookies: cookie.flatMap((value) => value.split('; ')) }),
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded }),
    requestContext: {
      domainName,
      requestId: crypto.randomUUID(),
      stage: '$default',
      http: { method: request.method ?? 'GET', sourceIp: request.socket.remoteAddress ?? '' },
    },
  };
}

function isText(type = ''): boolean {
  return /^(?:text\/|application\/json)/.test(type);
}

/** Passes on a stream: the head as JSON, eight zero bytes, then the body. */
async function passFramed(answer: InvocationResult, response: ServerResponse): Promise<void> {
  let head = Buffer.alloc(0);
  let started = false;
  for await (const chunk of answer) {
    if (started) {
      if (!response.destroyed) response.write(chunk);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(Buffer.alloc(8));
    if (end < 0) continue;
    started = true;
    writeHead(response, JSON.parse(head.subarray(0, end).toString()));
    response.flushHeaders();
    if (head.length > end + 8) response.write(head.subarray(end + 8));
  }
  response.end();
}

/** Writes the head as AWS is reported to do: it renames the challenge, so that clients do not find it. */
function writeHead(response: ServerResponse, { statusCode, headers, cookies }: HttpHead): void {
  const { 'www-authenticate': challenge, ...others } = headers;
  response.writeHead(statusCode, {
    ...others,
    ...(challenge !== undefined && { 'x-amzn-Remapped-www-authenticate': challenge }),
    ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
  });
}
