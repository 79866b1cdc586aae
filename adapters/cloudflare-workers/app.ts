import { type App, createApp } from '../../src/app.ts';
import { enforceExposure } from '../../src/auth/exposure.ts';
import type { Authenticate } from '../../src/auth/sender.ts';
import { createResultCache } from '../../src/call/cache.ts';
import { createRuntime } from '../../src/call/runtime.ts';
import { parseManifest, toServedCatalog } from '../../src/catalog/manifest.ts';
import { ANONYMOUS_ACCESS, OPEN_ACCESS } from '../../src/http/access.ts';
import { jsonLine } from '../../src/one-line.ts';
import type { Log } from '../../src/ports.ts';
import { bytesFile, openWasm, type WasmOptions } from '../duckdb-wasm/in-process.ts';
import { keepAlive, keptAlive } from './keep-alive.ts';

/* The public API on Cloudflare Workers: `svc-kit/cloudflare-workers`. */

/** The parts of a Worker that serves a project beside its own routes. */
export interface WorkerAppOptions extends Pick<WasmOptions, 'wasm' | 'trampolines' | 'memoryMb'> {
  /** The text of manifest.json, which `svc build --target cloudflare-workers` writes. */
  readonly manifest: string;
  /** Reads data.duckdb, which the same build writes; called with the first call that needs it. */
  readonly readDatabase: () => Promise<Uint8Array>;
  /** Identifies the user. */
  readonly authenticate?: Authenticate;
  /** Whether everybody may call an app without `authenticate`. */
  readonly public?: boolean;
  /** Default: one JSON object a line on the console. */
  readonly log?: Log;
}

/**
 * Creates the handler of a built project for a Worker of your own. Throws `config_invalid` for a manifest of another
 * version, and for an app that everybody could call.
 */
export function createWorkerApp(options: WorkerAppOptions): App {
  const { authenticate, readDatabase, log = logToConsole, ...engine } = options;
  const manifest = parseManifest(options.manifest);
  const { version, database } = manifest;
  const catalog = toServedCatalog(manifest);
  const signIn = authenticate === undefined ? null : 'sign-in of the Worker';
  enforceExposure(
    { catalog, signIn, public: options.public ?? false },
    {
      place: 'The Worker would serve the project',
      fix: 'Pass `authenticate`. If everybody may call it, pass `public: true`.',
    },
  );
  const openDatabase = async () =>
    keptAlive(await openWasm({ ...engine, file: bytesFile(await readDatabase(), database.name) }));
  // All requests of an isolate share one opening, which the platform would cut off together with the first client.
  const open = () => keepAlive(openDatabase());
  const runtime = createRuntime({ catalog, open, log, cache: createResultCache() });
  return createApp({
    runtime: () => runtime,
    version,
    stateless: true,
    log,
    access: signIn === null ? ANONYMOUS_ACCESS : OPEN_ACCESS,
    ...(authenticate === undefined ? {} : { authenticate }),
  });
}

const logToConsole: Log = ({ level, message, fields }) =>
  console[level](jsonLine({ level, message, ...fields }));
