import { relative } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { combineObservers } from '../../adapters/artefact/telemetry.ts';
import { createCallLog } from '../../adapters/node/call-log.ts';
import { concealCrash } from '../../adapters/node/crash.ts';
import { openNodeDatabase } from '../../adapters/node/database/open-database.ts';
import { createRequestLog } from '../../adapters/node/http/request-log.ts';
import { openObservers } from '../../adapters/node/observers.ts';
import { Leases } from '../../adapters/node/reload/leases.ts';
import { logSpans } from '../../adapters/node/span-log.ts';
import { pythonFilesOf, warmPython } from '../../adapters/python/pool/warm.ts';
import { createLiveCalls } from '../../src/admin/live-calls.ts';
import { createResultCache } from '../../src/call/cache.ts';
import { createRuntime, type Runtime } from '../../src/call/runtime.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { narrowCatalog, parseTags } from '../../src/catalog/toolset.ts';
import { createChanges } from '../../src/mcp/changes.ts';
import { countOffers } from '../../src/mcp/instructions.ts';
import type { Database, Log } from '../../src/ports.ts';
import { type Finding, preventsServing } from '../../src/project/finding.ts';
import type { Project } from '../../src/project/model.ts';
import { loggedLevels } from '../../src/settings/log-level.ts';
import type { Settings } from '../../src/settings/model.ts';
import { concealedLog, createConcealment } from '../../src/settings/references/concealment.ts';
import { secretsOf } from '../../src/settings/secrets.ts';
import { NO_SPANS } from '../../src/telemetry/no-spans.ts';
import type { CommandInput } from '../command.ts';
import { createServerLog } from '../io/log.ts';
import type { Output } from '../io/output.ts';
import { openProjectDatabase } from '../project/open.ts';
import {
  type CheckedProject,
  checkProject,
  refuseErrors,
  servedDatabaseOf,
  soundPart,
} from '../project/project.ts';
import { openSettings } from '../project/settings.ts';
import { createGeneration, createServeReloader, type ServedGeneration } from './reload.ts';
import { watchHangups } from './signals.ts';
import type { Started } from './started.ts';

const PATIENCE_MS = 1_000;

/** Differences of `svc dev` from `svc serve`. */
interface ServeStartOptions {
  readonly check?: (input: CommandInput) => Promise<CheckedProject>;
  /** Whether the next call loads changed Python files. */
  readonly follow?: boolean;
  /** Whether the latest calls are kept for the workbench. */
  readonly keepCalls?: boolean;
}

/** Checks and compiles the project and opens its database, so that nothing fails on first use. */
export async function start(
  input: CommandInput,
  output: Output,
  options: ServeStartOptions = {},
): Promise<Started> {
  const { check = checkProject, keepCalls = false } = options;
  const onHangup = watchHangups();
  const checked = await check(input);
  const sound = servedPart(checked);
  const { root } = checked.project;
  const concealment = createConcealment();
  const { add, conceal } = concealment;
  concealCrash(conceal);
  const resolve = await openSettings(input, checked);
  const loadSettings: typeof resolve = async (options) => {
    const resolved = await resolve(options);
    add(secretsOf(resolved));
    return resolved;
  };
  const settings = await loadSettings();
  const logged = concealedLog(createServerLog(output, settings.logging), concealment);
  const levels = loggedLevels(settings.logging);
  const { log, around } = createRequestLog(logged, levels);
  const catalog = narrowCatalog(await compileCatalog(sound), parseTags(input.text('tags') ?? ''));
  warnOfBroken(checked, log);
  const choice = servedDatabaseOf(checked, settings.transport.http.stateless);
  const deps = { checked, log, follow: options.follow ?? false };
  const openBeside = async (next: Settings) =>
    createGeneration(
      next,
      await openNodeDatabase({ ...choice, secrets: next.secrets, create: false, log }),
      deps,
    );
  let leases: Leases<ServedGeneration> | null = null;
  // Opened before the database: an open database would keep the process alive if this fails.
  const watch = await openObservers(() => leases?.current.settings ?? settings, {
    log,
    root,
    conceal,
    counts: keepCalls,
  });
  const { admin, audit } = settings;
  const inputs = keepCalls || audit.inputs;
  const live = keepCalls || admin.enabled ? createLiveCalls({ always: keepCalls, inputs, conceal }) : null;
  const opened = await openProjectDatabase(root, { ...choice, secrets: settings.secrets, log }, output);
  warnOfWriters(catalog, opened, log);
  const first = createGeneration(settings, opened, deps);
  const generations = new Leases(first, log);
  leases = generations;
  const observers = combineObservers([
    watch.parts.observe,
    live?.observe,
    input.flag('quiet') ? undefined : createCallLog(log),
  ]);
  const ownSpans =
    settings.logging.level === 'DEBUG' ? logSpans(watch.parts.spans ?? NO_SPANS, log) : watch.parts.spans;
  const spans = live === null ? ownSpans : live.spans(ownSpans ?? NO_SPANS);
  const parts = {
    open: first.database,
    openPython: first.python,
    log,
    cache: createResultCache(),
    ...watch.parts,
    ...observers,
    ...(spans === undefined ? {} : { spans }),
  };
  const runtime = { ...createRuntime({ catalog, ...parts }), lease: leases.take };
  const warmed = warmPython(runtime);
  const changes = createChanges();
  let follow: (settings: Settings) => void = () => {};
  const stopping = new AbortController();
  const reloader = createServeReloader({
    leases,
    loadSettings: () => loadSettings({ reload: true }),
    open: openBeside,
    pythonFiles: pythonFilesOf(catalog),
    onExchange: (next) => {
      follow(next);
      // The databases are open anew, perhaps on other files.
      changes.notifyResource(null);
    },
    stopping: stopping.signal,
    log,
  });
  onHangup(() => void reloader.request());
  return {
    settings,
    around,
    leases,
    watch,
    live,
    checked,
    looked: checked,
    databasePath: choice.path,
    runtime,
    reloader,
    changes,
    listsChange: false,
    followSettings: (apply) => {
      follow = apply;
      // A reload may have come before.
      apply(generations.current.settings);
    },
    serving: {
      project: catalog.project,
      ...countOffers(catalog),
      engine: opened.engine,
      readonly: opened.readonly,
      path: relative(process.cwd(), choice.path),
    },
    close: async () => {
      stopping.abort();
      await leases.current.endPython();
      await warmed;
      const closed = leases.close();
      // Calls that end now still reach the observers. We do not wait for a query plan that cannot be interrupted.
      await Promise.race([closed, setTimeout(PATIENCE_MS, undefined, { ref: false })]);
      await setImmediate();
      await watch.close();
      await closed;
    },
  };
}

function warnOfWriters({ tools }: Runtime['catalog'], { readonly }: Database, log: Runtime['log']): void {
  if (!readonly) return;
  const writers = Object.values(tools).filter(
    ({ source }) => source.language === 'sql' && source.mode === 'write',
  );
  if (writers.length === 0) return;
  const names = writers.map(({ name }) => name).join(', ');
  log({
    level: 'warn',
    message: `The database is open read-only, so these tools, which write, will fail: ${names}`,
  });
}

/**
 * The part of a project that is served. A broken endpoint file does not stop the others (spec, "Errors"). Throws for
 * errors of any other file, and if no endpoint is left.
 */
export function servedPart(checked: CheckedProject): Project {
  const broken = brokenFiles(checked);
  const elsewhere = errorsOf(checked).some(({ file }) => !broken.has(file));
  if (elsewhere || (broken.size > 0 && broken.size === checked.project.endpoints.length))
    refuseErrors(checked);
  return soundPart(checked);
}

/** Logs which endpoints are not served, and why, and which tests are broken. */
function warnOfBroken(checked: CheckedProject, log: Log): void {
  for (const { severity, file, line, column, message, served } of checked.findings) {
    if (served && severity === 'error')
      log({ level: 'warn', message: `${file}:${line}:${column}: broken test: ${message}` });
  }
  for (const { file, line, column, message } of errorsOf(checked)) {
    log({ level: 'error', message: `${file}:${line}:${column}: not served: ${message}` });
  }
}

function brokenFiles(checked: CheckedProject): ReadonlySet<string> {
  const files = new Set(checked.project.endpoints.map(({ file }) => file));
  return new Set(errorsOf(checked).flatMap(({ file }) => (files.has(file) ? [file] : [])));
}

function errorsOf({ findings }: CheckedProject): readonly Finding[] {
  return findings.filter(preventsServing);
}
