import { type Audit, createAudit } from '../../src/audit/observe.ts';
import type { AuditSettings } from '../../src/project/site-model.ts';
import { type Environment, toBoolean } from '../../src/settings/environment.ts';

/** Writes a line where the platform's log pipeline takes it. */
export type WriteLine = (line: string) => void;

/** Whether an artefact records its calls: as it was built, unless `SVC_AUDIT_ENABLED` says otherwise. */
export function auditSettingsOf(built: AuditSettings, env: Environment): AuditSettings {
  return { ...built, enabled: toBoolean(env.SVC_AUDIT_ENABLED?.trim() ?? '') ?? built.enabled };
}

/** Records as lines among those of the log, told from them by `"type":"audit"`; nothing where audit is off. */
export function createLineAudit(settings: AuditSettings, write: WriteLine): Partial<Audit> {
  if (!settings.enabled) return {};
  const sink = {
    record: (line: string) => write(`{"type":"audit",${line.slice(1)}`),
    admit() {},
    async flush() {},
    async close() {},
  };
  return createAudit(sink, settings);
}
