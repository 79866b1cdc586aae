import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toAuditRecord } from '../../src/audit/record.ts';
import type { CallRecord } from '../../src/call/call-record.ts';
import { createRuntime } from '../../src/call/runtime.ts';
import { findEntry } from '../../src/catalog/find.ts';
import { type Manifest, parseManifest } from '../../src/catalog/manifest.ts';
import type { AnyEntry, Catalog } from '../../src/catalog/model.ts';
import { runSources } from '../../src/catalog/run-sources.ts';
import type { RequestContext, User } from '../../src/context.ts';
import { SvcError } from '../../src/errors.ts';
import { type Ended, type RecordedCall, toEnded } from '../../src/quality/replay/record.ts';
import type { Player } from '../../src/quality/replay/run.ts';
import { runEndpoint } from '../../src/quality/run-endpoint.ts';
import { parseUserContext } from '../../src/quality/user.ts';
import { DEFAULT_MEMORY_MB, POOL_MEMORY_MB, REMOTE_MEMORY_MB } from '../duckdb-wasm/default-memory.ts';
import { compileEngine } from '../duckdb-wasm/engine/artefact.ts';
import type { DatabaseFile } from '../duckdb-wasm/engine/database-file.ts';
import { pathFile } from '../duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../duckdb-wasm/in-process.ts';
import { layoutOf } from '../duckdb-wasm/remote/blocks.ts';

/** The paths of the database in artefacts of all targets: in the artefact, or to be uploaded to a store. */
const DATABASES = [
  'data.duckdb',
  '.vercel/output/functions/index.func/data.duckdb',
  'assets/data.duckdb',
  'upload/data.duckdb',
];
/** The folder of a Worker's database whose blocks are static assets. */
const BLOCKS = 'assets/blocks';

/** The files by which an artefact for Workers, and one with engines in threads, are known. */
const WORKER_CONFIG = 'wrangler.toml';
const ENGINE_WORKER = 'engine-worker.js';

/**
 * Opens an artefact of `svc build` for replayed calls, in this process, with the WASM engine and the memory that it has on
 * its platform. Throws `usage` for another folder.
 */
export async function openArtefact(folder: string, user: User | null): Promise<Player> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch((cause) => {
    throw new SvcError('usage', `${folder} has no manifest.json. Name a folder that \`svc build\` wrote.`, {
      cause,
    });
  });
  const manifest = parseManifest(text);
  if (manifest.native !== undefined) throw isNative(folder);
  const { catalog } = manifest;
  const file = databaseOf(folder, manifest);
  const opened = await openWasm({ ...(await compileEngine()), file, memoryMb: memoryOf(folder, manifest) });
  const seen: CallRecord[] = [];
  const observe = (call: CallRecord) => void seen.push(call);
  const runtime = createRuntime({ catalog, open: async () => opened, log: () => {}, observe });
  return {
    kindOf: (kind, name) => kindOf(findEntry(catalog, kind, name), catalog),
    play: async (call) => {
      const start = performance.now();
      await runEndpoint(runtime, call.kind, call.name, call.args, contextOf(call, user)).catch(() => {});
      // A prompt ends after the resources that it embeds.
      return endedOf(seen.splice(0).at(-1), performance.now() - start);
    },
    close: () => opened.close(),
  };
}

function databaseOf(folder: string, { database: { name, bytes } }: Manifest): DatabaseFile {
  const path = DATABASES.map((one) => join(folder, one)).find((file) => existsSync(file));
  if (path !== undefined) return pathFile(path, name);
  if (existsSync(join(folder, BLOCKS))) return blocksFile(join(folder, BLOCKS), name, bytes);
  throw new SvcError('database_unavailable', `${folder} has no database. Build it again.`);
}

/** A database file whose blocks are files of their own, each named by its number. */
function blocksFile(folder: string, name: string, bytes: number): DatabaseFile {
  const layout = layoutOf(bytes);
  return {
    name,
    size: () => bytes,
    read: (target, position) => {
      let read = 0;
      for (const block of layout.holding(position, target.length)) {
        const from = position + read - layout.range(block).start;
        const part = readFileSync(join(folder, String(block))).subarray(from, from + target.length - read);
        target.set(part, read);
        read += part.length;
      }
      return read;
    },
    close: () => {},
  };
}

/** The memory of the engine on the artefact's platform, in MiB. Workers do not have the limit of the profile. */
function memoryOf(folder: string, { memoryMb, database }: Manifest): number {
  const has = (file: string) => existsSync(join(folder, file));
  if (has(WORKER_CONFIG)) return DEFAULT_MEMORY_MB;
  if (memoryMb !== undefined) return memoryMb;
  if (database.remote !== undefined) return REMOTE_MEMORY_MB;
  return has(ENGINE_WORKER) ? POOL_MEMORY_MB : DEFAULT_MEMORY_MB;
}

function isNative(folder: string): SvcError {
  return new SvcError(
    'usage',
    `The artefact ${folder} has the native engine, and only artefacts with the wasm engine are opened here. Run it with \`svc preview\`, and name its URL with --against.`,
  );
}

/** Classifies a call before it is made. A Python function may write. */
function kindOf(entry: AnyEntry | undefined, catalog: Catalog): ReturnType<Player['kindOf']> {
  if (entry === undefined) return 'gone';
  if (entry.confirm !== undefined || entry.ask !== undefined) return 'asks';
  const sources = runSources(entry, catalog);
  return sources.every(({ language, mode }) => language !== 'python' && mode === 'read') ? 'reads' : 'writes';
}

/** Describes a call like the log does, so that both can be compared. */
function endedOf(call: CallRecord | undefined, durationMs: number): Ended {
  if (call === undefined) throw new SvcError('internal', 'a call has ended without a record');
  return {
    ...toEnded({ ...toAuditRecord(call, { inputs: false, outputs: true }) }),
    durationMs: Math.round(durationMs),
  };
}

/** Creates the context of a call. The log has only the id of its user. */
function contextOf({ userId }: RecordedCall, user: User | null): RequestContext {
  const recorded = userId === null ? null : parseUserContext({}, { from: 'the audit file', id: userId });
  return {
    requestId: crypto.randomUUID(),
    transport: 'cli',
    user: user ?? recorded,
    headers: () => null,
    sessionId: null,
    traceparent: null,
    signal: new AbortController().signal,
  };
}
