import type { CallObserver } from '../../src/call/call-record.ts';
import type { Runtime } from '../../src/call/runtime.ts';
import { SvcError } from '../../src/errors.ts';
import type { Log } from '../../src/ports.ts';
import { type Environment, toBoolean } from '../../src/settings/environment.ts';
import type { Settings, TelemetrySettings } from '../../src/settings/model.ts';
import type { Telemetry } from '../otel/telemetry.ts';
import type { WriteLine } from './audit.ts';

/** What a platform brings to its telemetry. */
export interface TelemetryDeps {
  readonly project: string;
  readonly version: string;
  readonly env: Environment;
  readonly log: Log;
  /** Takes spans where `telemetry.tracing.console_export` is set. */
  readonly write: WriteLine;
  /** Nothing runs between requests. */
  readonly onDemand: boolean;
  /** Those of now, where a reload may change them. */
  readonly headers?: () => TelemetrySettings['headers'];
}

/** The telemetry that settings ask for, loaded only then. Null: nothing is measured. */
export async function startTelemetry(
  settings: Pick<Settings, 'telemetry'> | null,
  { env, ...parts }: TelemetryDeps,
): Promise<Telemetry | null> {
  const wanted = settings?.telemetry.enabled ?? toBoolean(env.SVC_TELEMETRY_ENABLED?.trim() ?? '');
  if (wanted !== true) return null;
  if (settings === null) throw new SvcError('config_invalid', NOT_BUILT_IN);
  const { createTelemetry } = await import('../otel/telemetry.ts').catch((cause) => {
    throw new SvcError('config_invalid', NOT_BUILT_IN, { cause });
  });
  return createTelemetry({ ...parts, settings: settings.telemetry });
}

/** The same runtime, its calls measured beside whoever watches them already. */
export function measuredBy(runtime: Runtime, telemetry: Telemetry | null): Runtime {
  if (telemetry === null) return runtime;
  const { spans, observe } = telemetry;
  return { ...runtime, spans, ...together([runtime.observe, observe]) };
}

/** Tells all who watch of each call, in their order; nothing where nobody does. */
export function together(all: readonly (CallObserver | undefined)[]): Pick<Runtime, 'observe'> {
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
