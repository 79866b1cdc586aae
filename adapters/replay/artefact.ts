import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toAuditRecord } from '../../src/audit/record.ts';
import type { CallRecord } from '../../src/call/call-record.ts';
import { createRuntime } from '../../src/call/runtime.ts';
import { parseManifest } from '../../src/catalog/manifest.ts';
import type { AnyEntry, Catalog } from '../../src/catalog/model.ts';
import type { RequestContext, User } from '../../src/context.ts';
import { SvcError } from '../../src/errors.ts';
import type { EndpointKind } from '../../src/project/model.ts';
import { type Ended, type RecordedCall, toEnded } from '../../src/quality/replay/record.ts';
import type { Player } from '../../src/quality/replay/run.ts';
import { runEndpoint } from '../../src/quality/run-endpoint.ts';
import { parseUserContext } from '../../src/quality/user.ts';
import { compileEngine } from '../duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../duckdb-wasm/in-process.ts';

/** The paths of the database in artefacts of all targets. */
const DATABASES = ['data.duckdb', 'assets/data.duckdb'];

/**
 * Opens an artefact of `svc build` for replayed calls, in this process, with the WASM engine. Throws `usage`
 * for another folder.
 */
export async function openArtefact(folder: string, user: User | null): Promise<Player> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch((cause) => {
    throw new SvcError('usage', `${folder} has no manifest.json. Name a folder that \`svc build\` wrote.`, {
      cause,
    });
  });
  const { catalog, database, native } = parseManifest(text);
  if (native !== undefined) throw isNative(folder);
  const path = DATABASES.map((name) => join(folder, name)).find((file) => existsSync(file));
  if (path === undefined) throw new SvcError('database_unavailable', `${folder} has no database.`);
  const opened = await openWasm({ ...(await compileEngine()), file: pathFile(path, database.name) });
  const seen: CallRecord[] = [];
  const observe = (call: CallRecord) => void seen.push(call);
  const runtime = createRuntime({ catalog, open: async () => opened, log: () => {}, observe });
  return {
    kindOf: (kind, name) => kindOf(entryOf(catalog, kind, name)),
    play: async (call) => {
      const start = performance.now();
      await runEndpoint(runtime, call.kind, call.name, call.args, contextOf(call, user)).catch(() => {});
      // A prompt ends after the resources that it embeds.
      return endedOf(seen.splice(0).at(-1), performance.now() - start);
    },
    close: () => opened.close(),
  };
}

function isNative(folder: string): SvcError {
  return new SvcError(
    'usage',
    `The artefact ${folder} has the native engine, and only artefacts with the wasm engine are opened here. Run it with \`svc preview\`, and name its URL with --against.`,
  );
}

function entryOf({ tools, resources, prompts }: Catalog, kind: EndpointKind, name: string) {
  const entries: { readonly [key: string]: AnyEntry } = { tool: tools, resource: resources, prompt: prompts }[
    kind
  ];
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** Classifies a call before it is made. A Python function may write. */
function kindOf(entry: AnyEntry | undefined): ReturnType<Player['kindOf']> {
  if (entry === undefined) return 'gone';
  if (entry.confirm !== undefined || entry.ask !== undefined) return 'asks';
  if (entry.kind === 'prompt') return 'reads';
  return entry.source.language !== 'python' && entry.source.mode === 'read' ? 'reads' : 'writes';
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
