import type { CallObserver } from '../../src/endpoint/record.ts';
import type { Runtime } from '../../src/endpoint/runtime.ts';
import { SvcError } from '../../src/errors.ts';
import type { Log } from '../../src/ports.ts';
import { type Environment, toBoolean } from '../../src/settings/environment.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { Telemetry } from '../otel/telemetry.ts';
import type { WriteLine } from './audit.ts';

/** What a platform brings to the telemetry of an artefact. */
export interface EdgeTelemetryParts {
  readonly project: string;
  readonly version: string;
  readonly env: Environment;
  readonly log: Log;
  /** Takes spans where `telemetry.tracing.console_export` is set. */
  readonly write: WriteLine;
  /** Nothing runs between requests. */
  readonly onDemand: boolean;
}

/** The telemetry that settings ask for, loaded only then. Null: nothing is measured. */
export async function startTelemetry(
  settings: Pick<Settings, 'telemetry'> | null,
  { env, ...parts }: EdgeTelemetryParts,
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
  return { ...runtime, spans, observe: both(runtime.observe, observe) };
}

const NOT_BUILT_IN = `Telemetry is enabled, but this artefact was built without it.
Remove SVC_TELEMETRY_ENABLED or \`telemetry.enabled\`, or build again with \`svc build --config <file>\`, where the file has a \`telemetry\` block.`;

function both(first: CallObserver | undefined, second: CallObserver): CallObserver {
  if (first === undefined) return second;
  return (call) => {
    first(call);
    second(call);
  };
}
