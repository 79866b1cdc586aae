import { dirname } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Frame, Page } from 'playwright-core';
import { type HttpServer, startHttpServer } from '../../adapters/node/http/server.ts';
import { createApp } from '../../src/app.ts';
import { LOCAL_ACCESS } from '../../src/http/access.ts';
import { type Served, serveTree } from '../unit/call/project.ts';
import { SEED, TREE } from './views-project.ts';

/** The way to open a view. */
export interface OpenOptions {
  readonly args?: { readonly [name: string]: unknown };
  readonly context?: { readonly [name: string]: unknown };
  /** The protocol era, as the official client has it. */
  readonly mode?: unknown;
  readonly width?: number;
  readonly height?: number;
  /** What the host can do. */
  readonly capabilities?: { readonly [name: string]: object };
  /** The error with which the host answers the first message of the page. */
  readonly refusal?: string;
  /** Whether the server keeps no sessions. */
  readonly stateless?: boolean;
}

/** A view that a host shows. */
export interface OpenedView {
  readonly page: Page;
  readonly frame: Frame;
  /** What the host gives to the model. */
  readonly content: readonly unknown[];
  /** Complaints of the browser, and addresses outside of the server; both should be empty. */
  readonly complaints: readonly string[];
}

/** A host with the official AppBridge around views of a real server. */
export interface ViewHost {
  readonly served: Served;
  open(name: string, options?: OpenOptions): Promise<OpenedView>;
  close(): Promise<void>;
}

/** Serves the project of views, with and without sessions, and bundles the host for a browser. */
export async function createViewHost(browser: Browser, packages: string): Promise<ViewHost> {
  const served = await serveTree(TREE, SEED);
  const [kept, stateless] = [await startServer(served, false), await startServer(served, true)];
  const script = await bundleHost(packages);
  return {
    served,
    open: (name, options = {}) =>
      openView({ browser, script, url: (options.stateless ? stateless : kept).url }, name, options),
    close: async () => {
      await kept.close();
      await stateless.close();
      await served.close();
    },
  };
}

function startServer({ runtime }: Served, stateless: boolean): Promise<HttpServer> {
  const { log } = runtime;
  const app = createApp({
    runtime: () => runtime,
    version: '1.2.3',
    stateless,
    log,
    access: LOCAL_ACCESS,
  });
  return startHttpServer({ app, host: '127.0.0.1', port: 0 });
}

async function bundleHost(packages: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['test/browser/views-host.js'],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false,
    nodePaths: [dirname(packages)],
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

interface Place {
  readonly browser: Browser;
  readonly script: string;
  readonly url: string;
}

const SHOWN = '[role=region], figure svg, .figures, p.message:not(:empty):not(:has-text("…"))';

const CAPABILITIES = { serverTools: {}, downloadFile: {}, updateModelContext: {}, message: {} };

/** Opens a view as a host does. Throws if it shows nothing. */
async function openView(
  { browser, script, url }: Place,
  name: string,
  options: OpenOptions,
): Promise<OpenedView> {
  const { args = {}, context = {}, mode = 'auto', width = 800, height = 760, stateless = false } = options;
  const { capabilities = CAPABILITIES, refusal } = options;
  const page = await browser.newPage({ viewport: { width, height } });
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // The client asks a server without sessions for a stream, as the protocol wants it, and hears that there is none.
    if (stateless && message.text().includes('status of 405')) return;
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const isInside = request.url().startsWith(url) || /^(data|about|blob):/.test(request.url());
    if (!isInside) complaints.push(`asks ${request.url()}`);
  });
  const isDark = context.theme === 'dark';
  const html = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>host</title><body style="margin:8px;background:${isDark ? '#0d0f13' : '#f2f3f5'}"></body></html>`;
  await page.route(`${url}/host`, (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await page.goto(`${url}/host`);
  await page.addScriptTag({ content: script });
  const place = { url: `${url}/mcp`, name, args, context, mode, height: height - 30, capabilities, refusal };
  const { content } = await page.evaluate<{ content: unknown[] }>(`open_view(${JSON.stringify(place)})`);
  const frame = page.frames().find((one) => one !== page.mainFrame());
  if (frame === undefined) throw new Error('there is no frame');
  await frame.waitForSelector(SHOWN).catch((cause) => {
    throw new Error(`the view stays empty: ${complaints.join(', ')}`, { cause });
  });
  return { page, frame, content, complaints };
}

/** A snapshot of the memory of a page with its frame. */
export async function takeHeap({ page, frame }: OpenedView): Promise<string> {
  const session = await page
    .context()
    .newCDPSession(frame)
    .catch(() => page.context().newCDPSession(page));
  const chunks: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => void chunks.push(chunk));
  await session.send('HeapProfiler.takeHeapSnapshot');
  return chunks.join('');
}
