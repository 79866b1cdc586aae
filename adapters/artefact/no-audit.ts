import type { Audit, createAudit as real } from '../../src/audit/observe.ts';
import { SvcError } from '../../src/errors.ts';

/** Replaces `src/audit/observe.ts` in artefacts of a profile without audit. Rejects every call if audit is switched on. */
export const createAudit = ((): Audit => ({
  observe() {},
  admit() {
    throw new SvcError(
      'config_invalid',
      'SVC_AUDIT_ENABLED is set, but this artefact was built without audit. Remove the variable, or set `audit.enabled: true` for the profile and build again.',
    );
  },
})) satisfies typeof real;
