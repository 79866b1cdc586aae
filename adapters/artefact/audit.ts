import { type Audit, createAudit } from '../../src/audit/observe.ts';
import type { AuditSettings } from '../../src/project/site-model.ts';
import type { Conceal } from '../../src/redaction/redact.ts';
import { toBoolean } from '../../src/settings/boolean.ts';
import type { Environment } from '../../src/settings/environment.ts';

/** Writes a line to the output that the platform collects as its log. */
export type WriteLine = (line: string) => void;

/** Returns the audit settings of a build; `SVC_AUDIT_ENABLED` replaces `enabled`. */
export function auditSettingsOf(built: AuditSettings, env: Environment): AuditSettings {
  return { ...built, enabled: toBoolean(env.SVC_AUDIT_ENABLED?.trim() ?? '') ?? built.enabled };
}

/** Writes audit records between the lines of the log, marked with `"type":"audit"`. Returns `{}` if audit is off. */
export function createLineAudit(
  settings: AuditSettings,
  write: WriteLine,
  conceal?: Conceal,
): Partial<Audit> {
  if (!settings.enabled) return {};
  const sink = {
    record: (line: string) => write(`{"type":"audit",${line.slice(1)}`),
    admit() {},
    async flush() {},
    async close() {},
  };
  return createAudit(sink, { ...settings, ...(conceal && { conceal }) });
}
