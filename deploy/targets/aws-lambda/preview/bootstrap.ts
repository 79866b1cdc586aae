// The runtime inside a Lambda environment: loads the handler, asks the Runtime API for invocations, posts what it answers.
// Run as its own process with AWS_LAMBDA_RUNTIME_API, LAMBDA_TASK_ROOT and _HANDLER (`index.handler`).
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');
const FRAMED = 'application/vnd.awslambda.http-integration-response';
const api = new URL(`http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/`);

type Handler = ((...args: unknown[]) => Promise<unknown>) & { [STREAMING]?: 'response' };

/** The stream of a response. The first write opens the request; the head and eight zero bytes come first. */
class ResponseStream extends Writable {
  readonly #path: string;
  #head: Buffer | null = null;
  #post: ReturnType<typeof post> | null = null;

  constructor(path: string) {
    super();
    this.#path = path;
  }

  setHead(head: unknown): void {
    this.#head = Buffer.concat([Buffer.from(JSON.stringify(head)), Buffer.alloc(8)]);
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#open().request.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    const { request, sent } = this.#open();
    request.end();
    sent.then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (error) this.#post?.request.destroy();
    done(error);
  }

  #open(): ReturnType<typeof post> {
    if (this.#post) return this.#post;
    const type = this.#head ? FRAMED : 'application/octet-stream';
    this.#post = post(this.#path, {
      'content-type': type,
      'lambda-runtime-function-response-mode': 'streaming',
    });
    this.#post.request.on('error', (error) => this.destroy(error));
    this.#post.request.flushHeaders();
    if (this.#head) this.#post.request.write(this.#head);
    return this.#post;
  }
}

Reflect.set(globalThis, 'awslambda', {
  streamifyResponse: (handler: Handler) => Object.assign(handler, { [STREAMING]: 'response' }),
  HttpResponseStream: {
    from(stream: ResponseStream, head: unknown) {
      stream.setHead(head);
      return stream;
    },
  },
});

const [file = '', name = ''] = (process.env._HANDLER ?? '').split('.');
const handler = await loadHandler().catch(failInit);
for (;;) await serveNext(handler);

async function loadHandler(): Promise<Handler> {
  const path = join(process.env.LAMBDA_TASK_ROOT ?? '', `${file}.mjs`);
  const module: { [name: string]: Handler | undefined } = await import(pathToFileURL(path).href);
  const found = module[name];
  if (!found) throw new Error(`${file}.mjs has no export ${name}`);
  return found;
}

async function failInit(error: unknown): Promise<never> {
  await send('init/error', describe(error));
  process.exit(1);
}

async function serveNext(handle: Handler): Promise<void> {
  const next = await nextInvocation();
  const id = String(next.headers['lambda-runtime-aws-request-id'] ?? '');
  const deadline = Number(next.headers['lambda-runtime-deadline-ms']);
  const context = { awsRequestId: id, getRemainingTimeInMillis: () => deadline - Date.now() };
  const event: unknown = await json(next);
  try {
    if (handle[STREAMING]) await stream(handle, event, context);
    else await send(`invocation/${id}/response`, await handle(event, context));
  } catch (error) {
    await send(`invocation/${id}/error`, describe(error));
  }
}

/** Waits for the next invocation. It may take hours; `fetch` would give up after five minutes. */
async function nextInvocation(): Promise<IncomingMessage> {
  const request = httpRequest(new URL('invocation/next', api), { agent: false }).end();
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response === undefined) throw new Error('The Runtime API did not answer.');
  return response;
}

async function stream(handle: Handler, event: unknown, context: { awsRequestId: string }): Promise<void> {
  const out = new ResponseStream(`invocation/${context.awsRequestId}/response`);
  out.on('error', () => {});
  const closed = new Promise((resolve) => out.once('close', resolve));
  await handle(event, out, context);
  await closed;
}

async function send(path: string, value: unknown): Promise<void> {
  const { request, sent } = post(path, { 'content-type': 'application/json' });
  request.end(JSON.stringify(value ?? null));
  await sent;
}

function post(path: string, headers: Record<string, string>) {
  // A kept connection may be closed at the moment in which it is used again, after a handler that took seconds.
  const request = httpRequest(new URL(path, api), { method: 'POST', headers, agent: false });
  const sent = once(request, 'response').then(([response]) => response.resume());
  sent.catch(() => {});
  return { request, sent };
}

function describe(error: unknown): unknown {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { errorType: name, errorMessage: message, trace: stack?.split('\n') };
}
