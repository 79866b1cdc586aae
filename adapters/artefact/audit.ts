import { type Audit, createAudit } from '../../src/audit/observe.ts';
import { SvcError } from '../../src/errors.ts';
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

/**
 * Throws config_invalid if `SVC_AUDIT_ENABLED` is neither true nor false, or asks for records that an artefact without
 * audit has no code for. An artefact that starts anyway would reject every call.
 */
export function enforceBuiltAudit(built: AuditSettings, env: Environment): void {
  const text = env.SVC_AUDIT_ENABLED?.trim() ?? '';
  const asked = toBoolean(text);
  if (asked === null && text !== '')
    throw new SvcError('config_invalid', `SVC_AUDIT_ENABLED is ${text}, but must be true or false.`);
  if (asked === true && !built.enabled) throw new SvcError('config_invalid', NOT_BUILT_IN);
}

const NOT_BUILT_IN =
  'SVC_AUDIT_ENABLED is set, but this artefact was built without audit. Remove the variable, or set `audit.enabled: true` for the profile and build again.';

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
