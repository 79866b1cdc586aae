import { parseManifest } from '../../src/catalog/manifest.ts';
import { preloadSchemas } from '../../src/mcp/preload.ts';
import { fetchInBackground, type WaitUntil } from '../artefact/background.ts';
import { createArtefactServer } from '../artefact/server.ts';
import { openBundledDatabase } from '../aws-lambda/bundled-database.ts';
import { artefactFiles } from '../node/artefact-files.ts';
import { openJwe } from '../node/auth/open-jwe.ts';
import { nodePython } from '../node/bundled-python.ts';
import { createFetchDocument } from '../node/http/fetch-document.ts';
import { createRequestLog } from '../node/http/request-log.ts';
import { loadStartSettings } from '../node/start-settings.ts';

/* The module that Vercel's Node launcher loads. It exports one web handler for each method. */

const { env } = process;
const write = (line: string) => void process.stdout.write(`${line}\n`);
const requests = createRequestLog(
  ({ level, message, fields }) => write(JSON.stringify({ level, message, ...fields })),
  () => server.takesDebug(),
);
const { pathOf, manifestText, bundled } = artefactFiles(import.meta.url);
const manifest = parseManifest(manifestText);

const server = createArtefactServer({
  manifest,
  bundled,
  env,
  loadSettings: loadStartSettings,
  log: requests.log,
  write,
  openDatabase: (settings) => openBundledDatabase({ manifest, pathOf, settings }),
  python: (deps) => nodePython({ ...deps, entry: import.meta.url, first: 'pyodide', size: 1 }),
  auth: { fetchDocument: createFetchDocument(), openJwe },
});

preloadSchemas();
await server.warm();

const { fetch } = requests.around(server);

/** Answers a request of any method. */
function handle(request: Request): Promise<Response> {
  // Vercel's proxy sets these headers itself, so that no client can forge them.
  const address = request.headers.get('x-real-ip');
  return fetchInBackground(
    { ...server, fetch },
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
