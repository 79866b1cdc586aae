import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { LiveCalls } from '../../src/admin/live-calls.ts';
import type { AdminSource } from '../../src/admin/source.ts';
import type { RunningProject } from '../project/running.ts';
import { createWireCall } from './wire-call.ts';

/** A running server, as the workbench shows it. */
export interface WorkbenchDeps {
  readonly running: RunningProject;
  readonly live: LiveCalls;
  readonly source: AdminSource;
  readonly feed: ProjectFeed;
  /** Whether the page may call as any user, run tests and change files: on `svc dev` only. */
  readonly authoring: boolean;
}

/** The workbench: a page, its script, and the requests of the page under `/api`. */
export interface Workbench {
  /** Null for a path that the workbench does not have. */
  answer(request: Request): Promise<Response | null>;
}

/** Makes the workbench of a running server. The parts that answer the page, such as the CEL engine, load when a page asks. */
export function createWorkbench(deps: WorkbenchDeps): Workbench {
  const { running, live } = deps;
  const send = createWireCall({ runtime: () => running.runtime, live, log: running.runtime.log });
  return {
    answer: async (request) => {
      const { pathname } = new URL(request.url);
      const page = request.method === 'GET' || request.method === 'HEAD' ? answerPage(pathname) : null;
      if (page !== null || !pathname.startsWith('/api/')) return page;
      const { answerPageRequest } = await import('./routes.ts');
      return answerPageRequest({ ...deps, request, send });
    },
  };
}

/** The folder of the built page, in a checkout and in the package alike. */
const FOLDER = new URL('../../workbench/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** A page may run its own script and style, and send requests to its own server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/** Answers `/` with the page and `/assets/…` with its script and its style; null for any other path. */
function answerPage(path: string): Response | null {
  if (path === '/') {
    const headers = { ...HEADERS, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
    return new Response(toHtml(), { headers });
  }
  const name = /^\/assets\/([\w-]+\.(?:js|css))$/.exec(path)?.[1];
  if (name === undefined || !assetNames().includes(name)) return null;
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  const headers = {
    ...HEADERS,
    'content-type': type,
    'cache-control': 'private, max-age=31536000, immutable',
  };
  return new Response(readFileSync(new URL(name, FOLDER)), { headers });
}

/** The names contain a hash of the content. */
function assetNames(): readonly string[] {
  return readdirSync(FOLDER).filter((name) => extname(name) in TYPES);
}

function toHtml(): string {
  const names = assetNames();
  const one = (extension: string) => names.find((name) => name.endsWith(extension)) ?? '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>svc workbench</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/${one('.css')}">
<script type="module" src="assets/${one('.js')}"></script>
</head>
<body><div id="app"></div><noscript>The workbench needs JavaScript.</noscript></body>
</html>
`;
}

/** Tells the page that the project was read again. */
export interface ProjectFeed {
  announce(hash: string): void;
  subscribe(listener: (hash: string) => void): () => void;
}

/** Makes a feed without listeners. */
export function createProjectFeed(): ProjectFeed {
  const listeners = new Set<(hash: string) => void>();
  return {
    announce: (hash) => {
      for (const listener of listeners) listener(hash);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
