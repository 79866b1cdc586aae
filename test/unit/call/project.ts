import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../../adapters/duckdb-native/open.ts';
import { openForCallers } from '../../../adapters/duckdb-native/process/open.ts';
import { openWasmPool } from '../../../adapters/duckdb-wasm/pool/open.ts';
import type { CallRecord } from '../../../src/call/call-record.ts';
import type { Runtime } from '../../../src/call/runtime.ts';
import { createRuntime } from '../../../src/call/runtime.ts';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import type { RequestContext, User } from '../../../src/context.ts';
import type { SvcError } from '../../../src/errors.ts';
import type { Database, Files, LogLine } from '../../../src/ports.ts';
import { loadProject } from '../../../src/project/load.ts';
import type { Project } from '../../../src/project/model.ts';

/** Path -> text. */
export type Tree = Readonly<Record<string, string>>;

export const SITE = 'svc: 1\nproject: demo\nprofile: default\n';

/** A project from texts. */
export function loadTree(tree: Tree, profile?: string): Promise<Project> {
  const texts: Tree = { 'svc-site.yml': SITE, ...tree };
  const files: Files = {
    list: async (folder) =>
      Object.keys(texts)
        .filter((path) => path.startsWith(`${folder}/`))
        .sort(),
    read: async (path, limit) => {
      const text = Object.hasOwn(texts, path) ? texts[path] : undefined;
      return text === undefined ? null : new TextEncoder().encode(text).slice(0, limit);
    },
  };
  return loadProject(files, '/demo', profile);
}

/** A project over a real database, with all that watches it. */
export interface Served {
  readonly runtime: Runtime;
  readonly records: readonly CallRecord[];
  readonly lines: readonly LogLine[];
  readonly close: () => Promise<void>;
}

export type EngineName = 'wasm' | 'native' | 'native, read-write' | 'native, own process';

/** Compiles a project and opens a database that a script fills; read-only unless the engine's name says otherwise. */
export async function serveTree(tree: Tree, seed: string, engine: EngineName = 'wasm'): Promise<Served> {
  const catalog = await compileCatalog(await loadTree(tree));
  const folder = await mkdtemp(join(tmpdir(), 'svc-endpoint-'));
  const path = join(folder, 'data.duckdb');
  await runScript(path, `${seed}; CHECKPOINT`);
  const database = await openEngine(path, engine);
  const records: CallRecord[] = [];
  const lines: LogLine[] = [];
  const runtime = createRuntime({
    catalog,
    open: async () => database,
    log: (line) => void lines.push(line),
    observe: (record) => void records.push(record),
  });
  return {
    runtime,
    records,
    lines,
    close: async () => {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function openEngine(path: string, engine: EngineName): Promise<Database> {
  if (engine === 'wasm') return openWasmPool({ path, workers: 1 });
  if (engine === 'native, own process') return openForCallers({ path, readonly: false });
  return openNative({ path, readonly: engine === 'native' });
}

export const ALICE: User = {
  id: 'u-1',
  username: 'alice',
  email: 'alice@acme.com',
  name: 'Alice',
  provider: 'acme',
  role: 'analyst',
  permissions: ['read'],
  groups: [],
  capabilities: [],
  claims: {},
  externalToken: 'planted-token',
};

/** The circumstances of a call by somebody, or by nobody in particular. */
export function contextOf(
  user: User | null = null,
  transport: RequestContext['transport'] = 'http',
): RequestContext {
  return {
    requestId: 'r-1',
    transport,
    user,
    headers: () => new Map([['authorization', 'Bearer planted-header']]),
    sessionId: null,
    traceparent: null,
    signal: new AbortController().signal,
  };
}

/** The error of something that must fail. */
export function errorOf(work: Promise<unknown>): Promise<SvcError> {
  return work.then(
    (value) => {
      throw new Error(`it succeeded: ${JSON.stringify(value)}`);
    },
    (thrown: SvcError) => thrown,
  );
}
