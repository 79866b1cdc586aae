import type { RuntimeParts } from '../../src/endpoint/create.ts';
import type { Log } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import { VERSION } from '../../src/version.ts';

/** Who watches the calls of a server, and how to end it. */
export interface Watch {
  readonly parts: Pick<RuntimeParts, 'spans' | 'observe'>;
  close(): Promise<void>;
}

/** Telemetry as the settings want it; its packages are loaded only where it is on. */
export async function watchCalls(settings: Settings, log: Log): Promise<Watch> {
  if (!settings.telemetry.enabled) return { parts: {}, async close() {} };
  const { createTelemetry } = await import('../otel/telemetry.ts');
  const { spans, observe, close } = createTelemetry({
    settings: settings.telemetry,
    project: settings.project,
    version: VERSION,
    log,
    write: (line) => void process.stderr.write(`${line}\n`),
    onDemand: false,
  });
  return { parts: { spans, observe }, close };
}
