import { type App, createApp } from '../../src/app.ts';
import type { Auth } from '../../src/auth/types.ts';
import type { Runtime } from '../../src/call/runtime.ts';
import { createRuntime, type RuntimeDeps } from '../../src/call/runtime.ts';
import { type Manifest, toServedCatalog } from '../../src/catalog/manifest.ts';
import type { Sealer } from '../../src/crypto/seal.ts';
import type { Log } from '../../src/ports.ts';
import type { Environment } from '../../src/settings/environment.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { Telemetry } from '../otel/telemetry.ts';
import { createEdgeReach } from './addresses.ts';
import { auditSettingsOf, createLineAudit, type WriteLine } from './audit.ts';
import { type ArtefactAuthDeps, startAuth } from './auth.ts';
import { createGate, type RequestGate } from './cold-start.ts';
import type { StartLog } from './log.ts';
import { sealerOf } from './sealer.ts';
import { measuredBy, startTelemetry } from './telemetry.ts';

/** What a platform brings, whose instances come and go. */
export interface ArtefactPlatform extends Pick<RuntimeDeps, 'open' | 'openPython'> {
  readonly manifest: Manifest;
  readonly env: Environment;
  readonly loadSettings: () => Promise<Settings | null>;
  readonly log: Log;
  readonly follow: StartLog['follow'];
  /** Takes audit records, and spans where they are to be seen. */
  readonly write: WriteLine;
  readonly auth: Omit<ArtefactAuthDeps, 'listens' | 'log'>;
}

/** One instance of an artefact. */
export interface EdgeServer {
  readonly app: App;
  /** Passed before each request: what the configuration asks for is there. */
  readonly gate: RequestGate;
  readonly settings: () => Settings | null;
  readonly runtime: () => Runtime;
  readonly telemetry: () => Telemetry | null;
}

/** What the configuration makes of an instance, all at once. */
interface Known {
  readonly settings: Settings | null;
  readonly runtime: Runtime;
  readonly auth: Auth | null;
  readonly sealer: Sealer | null;
  readonly telemetry: Telemetry | null;
}

/** An artefact as it starts with each instance: what needs the configuration comes with the first request. */
export function createEdgeServer(platform: ArtefactPlatform): EdgeServer {
  const { manifest, env, loadSettings, log, follow, write, auth: parts, ...opened } = platform;
  const { version, audit } = manifest;
  const recorded = createLineAudit(auditSettingsOf(audit, env), write);
  const runtime = createRuntime({ catalog: toServedCatalog(manifest), log, ...opened, ...recorded });
  const reach = createEdgeReach();
  let known: Known = { settings: null, runtime, auth: null, sealer: null, telemetry: null };
  const start = async () => {
    const settings = await loadSettings();
    follow(settings);
    reach.follow(settings);
    const sealer = sealerOf(settings);
    const auth = await startAuth(settings, runtime.catalog, { ...parts, listens: null, log });
    const measured = { project: runtime.catalog.project, version, env, log, write, onDemand: true };
    const telemetry = await startTelemetry(settings, measured);
    known = { settings, runtime: measuredBy(runtime, telemetry), auth, sealer, telemetry };
  };
  const app = createApp({
    runtime: () => known.runtime,
    version,
    stateless: true,
    log,
    auth: () => known.auth,
    sealer: () => known.sealer,
    ...reach.parts,
  });
  return {
    app,
    gate: createGate(start, log),
    settings: () => known.settings,
    runtime: () => known.runtime,
    telemetry: () => known.telemetry,
  };
}
