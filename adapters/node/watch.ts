import { createRecent, type Recent } from '../../src/admin/activity.ts';
import type { RuntimeParts } from '../../src/endpoint/create.ts';
import type { CallObserver } from '../../src/endpoint/record.ts';
import type { AuditSink, Log } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import { VERSION } from '../../src/version.ts';
import { openAudit } from '../audit/open.ts';

/** Who watches the calls of a server, and how to end it. */
export interface Watch {
  readonly parts: Pick<RuntimeParts, 'spans' | 'observe' | 'admit'>;
  /** Where calls are recorded; null where they are not. */
  readonly audit: AuditSink | null;
  /** What happened lately; null where nobody can ask. */
  readonly recent: Recent | null;
  close(): Promise<void>;
}

/** Telemetry and audit as the settings want them; the paths of the profile begin at the root. */
export async function watchCalls(settings: Settings, log: Log, root: string): Promise<Watch> {
  const audit = await openAudit(settings.audit, root, log);
  const telemetry = await openTelemetry(settings, log);
  const recent = settings.admin.enabled ? createRecent(Date) : null;
  const observe = together([telemetry.parts.observe, audit?.parts.observe, recent?.observe]);
  return {
    parts: {
      ...telemetry.parts,
      ...(observe === undefined ? {} : { observe }),
      ...(audit === null ? {} : { admit: audit.parts.admit }),
    },
    audit: audit?.sink ?? null,
    recent,
    close: async () => {
      await Promise.all([telemetry.close(), audit?.sink.close()]);
    },
  };
}

function together(all: readonly (CallObserver | undefined)[]): CallObserver | undefined {
  const observers = all.filter((observer) => observer !== undefined);
  if (observers.length < 2) return observers[0];
  return (call) => {
    for (const observe of observers) observe(call);
  };
}

/** Its packages are loaded only where it is on. */
async function openTelemetry(settings: Settings, log: Log): Promise<Pick<Watch, 'parts' | 'close'>> {
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
