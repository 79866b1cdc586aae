import { fetchInBackground, type WaitUntil } from '../artefact/background.ts';
import { nodePython } from '../node/bundled-python.ts';
import { startInOneThread } from '../node/one-thread/start.ts';

/* The module that Vercel's Node launcher loads. It exports one web handler for each method. */

const entry = import.meta.url;
const server = await startInOneThread({
  entry,
  python: (deps) => nodePython({ ...deps, entry, first: 'pyodide', size: 1 }),
});

/** Answers a request of any method. */
function handle(request: Request): Promise<Response> {
  // Vercel's proxy sets these headers itself, so that no client can forge them.
  const address = request.headers.get('x-real-ip');
  return fetchInBackground(
    server,
    withScheme(request, request.headers.get('x-forwarded-proto')),
    address === null ? {} : { address },
    waitUntil,
  );
}

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};

/** The launcher makes every address with http, and the issuer of tokens depends on the scheme. */
function withScheme(request: Request, scheme: string | null): Request {
  const url = new URL(request.url);
  if (scheme === null || url.protocol === `${scheme}:`) return request;
  url.protocol = scheme;
  return new Request(url, request);
}

/** The launcher keeps an instance alive through a function that it puts under a symbol. */
const waitUntil: WaitUntil = (work) => {
  const context: { get?(): { waitUntil?: WaitUntil } } | undefined = Reflect.get(
    globalThis,
    Symbol.for('@vercel/request-context'),
  );
  context?.get?.().waitUntil?.(work);
};
