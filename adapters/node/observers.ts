import { createRecent, type Recent } from '../../src/admin/activity.ts';
import type { RuntimeDeps } from '../../src/call/runtime.ts';
import type { AuditSink, Log } from '../../src/ports.ts';
import type { Conceal } from '../../src/redaction/redact.ts';
import type { Settings } from '../../src/settings/model.ts';
import { VERSION } from '../../src/version.ts';
import { combineObservers, startTelemetry } from '../artefact/telemetry.ts';
import { openAudit } from '../audit/open.ts';

/** The observers of a server's calls. */
export interface Observers {
  readonly parts: Pick<RuntimeDeps, 'spans' | 'observe' | 'admit' | 'written'>;
  /** The audit file; null if audit is off. */
  readonly audit: AuditSink | null;
  /** The latest calls and errors for the admin API; null if the admin API is off and `counts` is not set. */
  readonly recent: Recent | null;
  close(): Promise<void>;
}

/** The log, the folder at which relative paths begin, and the removal of the profile's secrets from records. */
export interface ObserverDeps {
  readonly log: Log;
  readonly root: string;
  readonly conceal: Conceal;
  /** Whether the latest calls are counted even without an admin API. */
  readonly counts?: boolean;
}

/** Opens telemetry and audit as the settings enable them. */
export async function openObservers(
  current: () => Settings,
  { log, root, conceal, counts = false }: ObserverDeps,
): Promise<Observers> {
  const settings = current();
  const audit = await openAudit(settings.audit, root, log, conceal);
  const telemetry = await startTelemetry(settings, {
    project: settings.project,
    version: VERSION,
    env: process.env,
    log,
    write: (line) => void process.stderr.write(`${line}\n`),
    onDemand: false,
    headers: () => current().telemetry.headers,
  });
  const recent = settings.admin.enabled || counts ? createRecent(Date) : null;
  return {
    parts: {
      ...(telemetry === null ? {} : { spans: telemetry.spans }),
      ...audit?.parts,
      ...combineObservers([telemetry?.observe, audit?.parts.observe, recent?.observe]),
    },
    audit: audit?.sink ?? null,
    recent,
    close: async () => {
      await Promise.all([telemetry?.close(), audit?.sink.close()]);
    },
  };
}
