import type { CallObserver } from '../../src/call/call-record.ts';
import type { Runtime } from '../../src/call/runtime.ts';
import { SvcError } from '../../src/errors.ts';
import type { Log } from '../../src/ports.ts';
import { toBoolean } from '../../src/settings/boolean.ts';
import type { Environment } from '../../src/settings/environment.ts';
import type { Settings, TelemetrySettings } from '../../src/settings/model.ts';
import { loadPart, TELEMETRY_PART } from '../optional-packages.ts';
import type { Telemetry } from '../otel/telemetry.ts';
import type { WriteLine } from './audit.ts';

/** The ports and facts that a platform brings for telemetry. */
export interface TelemetryDeps {
  readonly project: string;
  readonly version: string;
  readonly env: Environment;
  readonly log: Log;
  /** Writes spans if `telemetry.tracing.console_export` is set. */
  readonly write: WriteLine;
  /** Whether the platform runs nothing between requests, so that metrics are sent only by `flush`. */
  readonly onDemand: boolean;
  /** Returns the current headers on a server whose reload may change them. */
  readonly headers?: () => TelemetrySettings['headers'];
}

/**
 * Creates the telemetry that the settings enable; its code is loaded only then. Returns null if it is off. Throws
 * `config_invalid` if the artefact was built without telemetry.
 */
export async function startTelemetry(
  settings: Pick<Settings, 'telemetry'> | null,
  { env, ...deps }: TelemetryDeps,
): Promise<Telemetry | null> {
  const wanted = settings?.telemetry.enabled ?? toBoolean(env.SVC_TELEMETRY_ENABLED?.trim() ?? '');
  if (wanted !== true) return null;
  if (settings === null) throw new SvcError('config_invalid', NOT_BUILT_IN);
  const { createTelemetry } = await loadTelemetry().catch((cause) => {
    throw cause instanceof SvcError ? cause : new SvcError('config_invalid', NOT_BUILT_IN, { cause });
  });
  return createTelemetry({ ...deps, settings: settings.telemetry });
}

/** Loads the code that sends traces and metrics. Throws `config_invalid` if its packages are not installed. */
export function loadTelemetry() {
  return loadPart(TELEMETRY_PART, () => import('../otel/telemetry.ts'));
}

/** Returns the runtime with spans, and with metrics of its calls besides its own observers. */
export function withTelemetry(runtime: Runtime, telemetry: Telemetry | null): Runtime {
  if (telemetry === null) return runtime;
  const { spans, observe } = telemetry;
  return { ...runtime, spans, ...combineObservers([runtime.observe, observe]) };
}

/** Combines observers: each receives every call, in this order. Returns `{}` if there are none. */
export function combineObservers(all: readonly (CallObserver | undefined)[]): Pick<Runtime, 'observe'> {
  const observers = all.filter((observer) => observer !== undefined);
  const [first] = observers;
  if (first === undefined) return {};
  if (observers.length === 1) return { observe: first };
  return {
    observe: (call) => {
      for (const observe of observers) observe(call);
    },
  };
}

const NOT_BUILT_IN = `Telemetry is enabled, but this artefact was built without it.
Remove SVC_TELEMETRY_ENABLED or \`telemetry.enabled\`, or build again with \`svc build --config <file>\`, where the file has a \`telemetry\` block.`;
