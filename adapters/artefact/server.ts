import { type App, createApp } from '../../src/app.ts';
import { createResultCache } from '../../src/call/cache.ts';
import { planAhead } from '../../src/call/plan-ahead.ts';
import { createRuntime, type Runtime } from '../../src/call/runtime.ts';
import { type Manifest, toServedCatalog } from '../../src/catalog/manifest.ts';
import { toSvcError } from '../../src/errors.ts';
import { forwardedAddress } from '../../src/http/network.ts';
import type { Database, Log, Python } from '../../src/ports.ts';
import type { Environment } from '../../src/settings/environment.ts';
import type { LoggedLevels } from '../../src/settings/log-level.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { Telemetry } from '../otel/telemetry.ts';
import { artefactAddresses } from './addresses.ts';
import { auditSettingsOf, createLineAudit, enforceBuiltAudit, type WriteLine } from './audit.ts';
import { type ArtefactAuthDeps, enforceBuiltAccess, needsSignIn, startAuth, stateSealer } from './auth.ts';
import { createGate, type LoadStartSettings, type RequestGate } from './cold-start.ts';
import { createStartLog } from './log.ts';
import { startTelemetry, withTelemetry } from './telemetry.ts';

/**
 * The ports that a platform brings to its artefacts. An adapter consists of these and of an entry that translates the
 * events of the platform; see `adapters/node/one-thread/start.ts`.
 */
export interface ArtefactPlatform {
  readonly manifest: Manifest;
  /** The text of the user file in the artefact; null if the artefact has none. */
  readonly bundled: string | null;
  /** The variables of the platform. */
  readonly env: Environment;
  /** `loadStartSettings` of `artefact/start-settings.ts`, or of `node/start-settings.ts` on a platform with files. */
  readonly loadSettings: LoadStartSettings;
  /** Writes one line of the log. The server drops lines below the configured level before. */
  readonly log: Log;
  /** Writes audit records, and the spans of `telemetry.tracing.console_export`, as JSON. */
  readonly write: WriteLine;
  /** Called after the settings are loaded; they are null if the artefact needs none. */
  readonly openDatabase: (settings: Settings | null) => Promise<Database>;
  readonly python?: (deps: ArtefactPythonDeps) => ArtefactPython;
  readonly auth: Omit<ArtefactAuthDeps, 'listens' | 'log'>;
  /** The host that the program itself listens on; absent if the platform provides https and the address of clients. */
  readonly listens?: { readonly host: string };
}

/** The parts of the server that its Python uses. */
export interface ArtefactPythonDeps {
  readonly manifest: Manifest;
  readonly settings: () => Settings | null;
  readonly database: Runtime['database'];
  readonly log: Log;
}

/** Python as a platform runs it. */
export interface ArtefactPython {
  /** Passed to the runtime; empty if the project has no Python endpoints. */
  readonly parts: { readonly openPython?: () => Promise<Python> };
  /** Opens Python and loads the served files before the first call. Never throws. */
  readonly warm?: (runtime: Runtime) => Promise<void>;
}

/** One instance of an artefact. */
export interface ArtefactServer {
  /** Loads the configuration, once; see `createGate`. */
  readonly gate: RequestGate;
  /** Answers a request after the configuration is loaded, and with status 503 while it is not sound. */
  readonly fetch: App['fetch'];
  /** Loads the configuration, the database and Python before the first request. Failures are logged. */
  readonly warm: () => Promise<void>;
  readonly runtime: () => Runtime;
  /** The levels of the log; a line for each request has the level debug. */
  readonly levels: LoggedLevels;
  /** The telemetry of the configuration; null before it is loaded and if it is off. */
  readonly telemetry: () => Telemetry | null;
}

/** The parts of an instance that its configuration decides. A load replaces all of them together. */
interface Configured {
  readonly settings: Settings | null;
  readonly runtime: Runtime;
  readonly telemetry: Telemetry | null;
}

/** Creates the server of one instance. The configuration is loaded with the first request, or by `warm`. */
export function createArtefactServer(platform: ArtefactPlatform): ArtefactServer {
  const { manifest, bundled, env, write, openDatabase, listens = null } = platform;
  const { version, audit } = manifest;
  const { log, follow, conceal, levels } = createStartLog(platform.log);
  const python: ArtefactPython = platform.python?.({
    manifest,
    settings: () => configured.settings,
    database: () => configured.runtime.database(),
    log,
  }) ?? { parts: {} };
  const recorded = createLineAudit(auditSettingsOf(audit, env), write, conceal);
  const catalog = toServedCatalog(manifest);
  const open = () => openDatabase(configured.settings);
  const runtime = createRuntime({
    catalog,
    open,
    ...python.parts,
    log,
    cache: createResultCache(),
    ...recorded,
  });
  let configured: Configured = { settings: null, runtime, telemetry: null };
  const configure = async () => {
    const settings = await platform.loadSettings({ manifest, bundled, env });
    follow(settings, env);
    enforceBuiltAudit(audit, env);
    enforceBuiltAccess(settings, { manifest, env, place: 'The artefact would serve a public platform' });
    const signIn = settings !== null && needsSignIn(settings);
    const auth = await startAuth(settings, catalog, { ...platform.auth, listens, log });
    const measured = { project: catalog.project, version, env, log, write, onDemand: true };
    const telemetry = await startTelemetry(settings, measured);
    const sealer = stateSealer(settings, env);
    const measuring = withTelemetry(runtime, telemetry);
    configured = { settings, runtime: measuring, telemetry };
    return createApp({
      runtime: () => measuring,
      version,
      stateless: true,
      log,
      auth,
      sealer,
      ...artefactAddresses(settings, { signIn, listens }),
    });
  };
  const gate = createGate(configure, log);
  return {
    gate,
    fetch: async (request, extra) => {
      const handler = await gate();
      const trusts = listens !== null && configured.settings?.transport.http.trust_proxy === true;
      const address = trusts ? forwardedAddress(request.headers.get('x-forwarded-for')) : undefined;
      return handler.fetch(request, address === undefined ? extra : { ...extra, address });
    },
    warm: async () => {
      await gate();
      const opening = configured.runtime.database().catch((thrown) => {
        log({ level: 'error', message: toSvcError(thrown).message });
      });
      await Promise.all([
        opening.then(() => planAhead(configured.runtime)),
        python.warm?.(configured.runtime),
      ]);
    },
    runtime: () => configured.runtime,
    levels,
    telemetry: () => configured.telemetry,
  };
}
