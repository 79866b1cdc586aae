import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The function's response to one invocation. Its body may still be arriving. */
export type InvocationResult = IncomingMessage;

interface Invocation {
  readonly id: string;
  readonly event: unknown;
  readonly deadline: number;
  readonly resolve: (answer: InvocationResult) => void;
  readonly reject: (error: Error) => void;
}

/** The HTTP interface that a Lambda environment offers to the runtime inside it. */
export interface RuntimeApi {
  /** The value of AWS_LAMBDA_RUNTIME_API. */
  readonly address: string;
  invoke(event: unknown, timeoutMs: number): Promise<InvocationResult>;
  /** Fails all waiting invocations, because the runtime has ended. */
  fail(error: Error): void;
  close(): void;
}

/**
 * Starts a stand-in for the Runtime API, version 2018-06-01, of one environment. It runs one invocation at a time.
 */
export async function startRuntimeApi(): Promise<RuntimeApi> {
  const queue = createQueue();
  const server = createServer((request, response) => {
    route(queue, request, response).catch((error) => queue.fail(error));
  });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    invoke: (event, timeoutMs) => queue.add(event, Date.now() + timeoutMs),
    fail: (error) => queue.fail(error),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Queue = ReturnType<typeof createQueue>;

function createQueue() {
  const waiting: Invocation[] = [];
  const running = new Map<string, Invocation>();
  let poll: ServerResponse | null = null;
  let broken: Error | null = null;
  const serve = () => {
    const next = poll && waiting.shift();
    if (!poll || !next) return;
    running.set(next.id, next);
    sendInvocation(poll, next);
    poll = null;
  };
  return {
    add: (event: unknown, deadline: number) =>
      new Promise<InvocationResult>((resolve, reject) => {
        if (broken) return reject(broken);
        waiting.push({ id: crypto.randomUUID(), event, deadline, resolve, reject });
        serve();
      }),
    poll: (response: ServerResponse) => {
      poll = response;
      serve();
    },
    take: (id: string) => {
      const found = running.get(id);
      running.delete(id);
      return found;
    },
    fail: (error: Error) => {
      broken = error;
      for (const invocation of [...waiting.splice(0), ...running.values()]) invocation.reject(error);
    },
  };
}

function sendInvocation(response: ServerResponse, { id, event, deadline }: Invocation): void {
  response.setHeader('Lambda-Runtime-Aws-Request-Id', id);
  response.setHeader('Lambda-Runtime-Deadline-Ms', deadline);
  response.setHeader('Lambda-Runtime-Invoked-Function-Arn', 'arn:aws:lambda:eu-central-1:1:function:test');
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(event));
}

async function route(queue: Queue, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, , , kind, id = '', action] = (request.url ?? '').split('/');
  if (kind === 'init') queue.fail(await readError(request, response));
  else if (id === 'next') queue.poll(response);
  else if (action === 'error') queue.take(id)?.reject(await readError(request, response));
  else {
    request.once('close', () => response.writeHead(202).end());
    queue.take(id)?.resolve(request);
  }
}

async function readError(request: IncomingMessage, response: ServerResponse): Promise<Error> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  response.writeHead(202).end();
  return new Error(`the function failed: ${Buffer.concat(chunks)}`);
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}
