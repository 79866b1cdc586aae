import type { Audit } from '../../src/audit/observe.ts';
import { SvcError } from '../../src/errors.ts';

/** In artefacts of a profile without audit, in place of what makes records: answers no call that is to be recorded. */
export function createAudit(): Audit {
  return {
    observe() {},
    admit() {
      throw new SvcError(
        'config_invalid',
        'SVC_AUDIT_ENABLED is set, but this artefact was built without audit. Remove the variable, or set `audit.enabled: true` for the profile and build again.',
      );
    },
  };
}
