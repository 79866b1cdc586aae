import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  fillLocalBucket,
  type LocalBucket,
  upload,
} from '../../../deploy/targets/cloudflare-workers/local-bucket.ts';
import { UPLOADED_DATABASE } from '../../../deploy/targets/target.ts';
import { parseManifest } from '../../../src/catalog/manifest.ts';
import { type RawCall, sendCall } from '../raw.ts';

/** How requests to the bucket go wrong, each as a share of the requests, and how long all of them take. */
export interface Faults {
  /** The time that each request is held, in milliseconds. */
  readonly holdMs?: number;
  /** The bucket answers with an error. */
  readonly fail?: number;
  /** The connection is lost while the body comes. */
  readonly reset?: number;
  /** The body is shorter than the range. */
  readonly cut?: number;
  /** A bit of the body is wrong. */
  readonly flip?: number;
  /** The request takes 300 ms longer. */
  readonly slow?: number;
  /** The request has no answer, ever. */
  readonly hang?: number;
}

/** What the engine and the bucket did so far. */
export interface EdgeCounts {
  /** The versions of the object that engines opened. */
  readonly opened: number;
  readonly ranges: number;
  /** The faults so far. */
  readonly faults: number;
  /** The memory of the engine now, in MiB. */
  readonly memoryMb: number;
}

/** A built Worker in workerd, whose bucket can go wrong. */
export interface Edge {
  readonly url: URL;
  /** The lines that the Worker wrote. A test may empty them. */
  readonly lines: string[];
  /** Replaces the faults from now on. */
  misbehave(faults: Faults): Promise<void>;
  counts(): Promise<EdgeCounts>;
  /** The bucket without faults. */
  bucket(): Promise<LocalBucket>;
  close(): Promise<void>;
}

/** The choices of a test. */
export interface EdgeOptions {
  /** Lets a call end with the request that made it, as a platform does that drops a request. */
  readonly dropped?: boolean;
  /** Leaves out the map of columns, so that nothing is fetched ahead. */
  readonly serial?: boolean;
}

/** The main module: it puts a proxy between the artefact and its bucket, and answers /edge itself. */
const PROXY = `import { state } from './observe.js';
import inner from './index.js';
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const chance = (share) => Math.random() < (share ?? 0) && ++state.faults > 0;
async function get(bucket, key, options) {
  const { holdMs, fail, reset, cut, flip, slow, hang } = state.plan;
  state.ranges += 1;
  if (holdMs) await pause(holdMs);
  if (chance(slow)) await pause(300);
  if (chance(hang)) await new Promise(() => {});
  if (chance(fail)) throw new Error('get: We encountered an internal error. Please try again. (10001)');
  const found = await bucket.get(key, options);
  if (found === null || !('body' in found)) return found;
  const bytes = new Uint8Array(await found.arrayBuffer());
  if (chance(flip)) bytes[Math.floor(Math.random() * bytes.length)] ^= 1;
  const short = chance(cut) ? bytes.slice(0, Math.floor(Math.random() * bytes.length)) : bytes;
  const lost = chance(reset);
  return {
    body: null,
    arrayBuffer: async () => {
      if (lost) throw new Error('Network connection lost.');
      return short.buffer;
    },
  };
}
const proxy = (bucket) => ({
  head: (key) => {
    state.opened += 1;
    return bucket.head(key);
  },
  get: (key, options) => get(bucket, key, options),
});
export default {
  async fetch(request, bindings, context) {
    if (new URL(request.url).pathname !== '/edge') {
      return inner.fetch(request, { ...bindings, DATABASE: proxy(bindings.DATABASE) }, context);
    }
    if (request.method === 'POST') state.plan = await request.json();
    const { opened, ranges, faults, memory } = state;
    return Response.json({ opened, ranges, faults, memoryMb: (memory?.buffer.byteLength ?? 0) / 2 ** 20 });
  },
};`;

/** Runs before the artefact, so that it sees the engine's memory. */
const OBSERVE = `const { Memory } = WebAssembly;
export const state = { plan: {}, opened: 0, ranges: 0, faults: 0, memory: null };
WebAssembly.Memory = class extends Memory {
  constructor(options) {
    super(options);
    state.memory = this;
  }
};`;

/** Takes the place of the platform's module. */
const DROPPED = 'export const waitUntil = () => {};';

interface Module {
  readonly type: 'ESModule' | 'CompiledWasm' | 'Text';
  readonly path: string;
  readonly contents: string | Uint8Array;
}

/** Starts a built Worker with its database in a local bucket, without wrangler's own proxy, which hides leaving clients. */
export async function startEdge(folder: string, options: EdgeOptions = {}): Promise<Edge> {
  const here = createRequire(import.meta.url);
  const wrangler = join(here.resolve('wrangler/package.json'), '../bin/wrangler.js');
  await fillLocalBucket(folder, wrangler);
  const { Miniflare, convertV4MiniflareOptions } = createRequire(wrangler)('miniflare');
  const lines: string[] = [];
  const toml = await readFile(join(folder, 'wrangler.toml'), 'utf8');
  const setting = (name: string): string => new RegExp(`^${name} = "(.*)"`, 'm').exec(toml)?.[1] ?? '';
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: await modulesOf(folder, options),
      modulesRoot: folder,
      compatibilityDate: setting('compatibility_date'),
      bindings: { SVC_PUBLIC: 'true' },
      r2Buckets: { DATABASE: setting('bucket_name') },
      resourcePersistencePath: join(folder, '.wrangler/state/v3'),
      handleStructuredLogs: ({ message }: { readonly message: string }) => lines.push(message),
      cf: false,
    }),
  );
  const url: URL = await miniflare.ready;
  const counts = async (body?: string): Promise<EdgeCounts> => {
    const answer = await fetch(new URL('edge', url), body === undefined ? {} : { method: 'POST', body });
    return answer.json();
  };
  return {
    url,
    lines,
    misbehave: async (faults) => void (await counts(JSON.stringify(faults))),
    counts: () => counts(),
    bucket: () => miniflare.getR2Bucket('DATABASE'),
    close: () => miniflare.dispose(),
  };
}

async function modulesOf(
  folder: string,
  { dropped = false, serial = false }: EdgeOptions,
): Promise<readonly Module[]> {
  const text = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');
  const index = await text('index.js');
  const wasm = ['duckdb.wasm', 'trampolines.wasm'].map(
    async (path) => ({ type: 'CompiledWasm', path, contents: await readFile(join(folder, path)) }) as const,
  );
  const modules: Module[] = [
    { type: 'ESModule', path: 'edge.js', contents: PROXY },
    { type: 'ESModule', path: 'observe.js', contents: OBSERVE },
    {
      type: 'ESModule',
      path: 'index.js',
      contents: dropped ? index.replaceAll('"cloudflare:workers"', '"./dropped.js"') : index,
    },
    { type: 'ESModule', path: 'dropped.js', contents: DROPPED },
    {
      type: 'Text',
      path: 'manifest.json',
      contents: serial ? withoutColumns(await text('manifest.json')) : await text('manifest.json'),
    },
    ...(await Promise.all(wasm)),
  ];
  return modules.map((module) => ({ ...module, path: join(folder, module.path) }));
}

function withoutColumns(manifest: string): string {
  const { database, ...rest } = JSON.parse(manifest);
  return JSON.stringify({ ...rest, database: { ...database, remote: { ...database.remote, columns: [] } } });
}

/** The rows of a call, or the text of its error. */
export async function answerOf(
  url: URL,
  { tool, args }: RawCall,
  signal?: AbortSignal,
): Promise<{ readonly rows: unknown } | { readonly error: string }> {
  const answer = await (await sendCall(url, { tool, args }, signal)).json();
  const { result } = answer;
  if (result === undefined || result.isError)
    return { error: result?.content[0].text ?? JSON.stringify(answer) };
  return { rows: result.structuredContent };
}

/** Uploads a file in parts of a size. Another size gives the same bytes another version. */
export async function uploadAgain(edge: Edge, folder: string, partBytes: number): Promise<void> {
  const { database } = parseManifest(await readFile(join(folder, 'manifest.json'), 'utf8'));
  const key = database.remote?.key ?? '';
  await upload(await edge.bucket(), { key, path: join(folder, UPLOADED_DATABASE), partBytes });
}
