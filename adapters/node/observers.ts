import { createRecent, type Recent } from '../../src/admin/activity.ts';
import type { RuntimeDeps } from '../../src/call/runtime.ts';
import type { AuditSink, Log } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import { VERSION } from '../../src/version.ts';
import { startTelemetry, together } from '../artefact/telemetry.ts';
import { openAudit } from '../audit/open.ts';

/** Who watches the calls of a server, and how to end it. */
export interface Watch {
  readonly parts: Pick<RuntimeDeps, 'spans' | 'observe' | 'admit'>;
  /** Where calls are recorded; null where they are not. */
  readonly audit: AuditSink | null;
  /** What happened lately; null where nobody can ask. */
  readonly recent: Recent | null;
  close(): Promise<void>;
}

/** Telemetry and audit as the settings want them; the paths of the profile begin at the root. */
export async function watchCalls(current: () => Settings, log: Log, root: string): Promise<Watch> {
  const settings = current();
  const audit = await openAudit(settings.audit, root, log);
  const telemetry = await startTelemetry(settings, {
    project: settings.project,
    version: VERSION,
    env: process.env,
    log,
    write: (line) => void process.stderr.write(`${line}\n`),
    onDemand: false,
    headers: () => current().telemetry.headers,
  });
  const recent = settings.admin.enabled ? createRecent(Date) : null;
  return {
    parts: {
      ...(telemetry === null ? {} : { spans: telemetry.spans }),
      ...together([telemetry?.observe, audit?.parts.observe, recent?.observe]),
      ...(audit === null ? {} : { admit: audit.parts.admit }),
    },
    audit: audit?.sink ?? null,
    recent,
    close: async () => {
      await Promise.all([telemetry?.close(), audit?.sink.close()]);
    },
  };
}
