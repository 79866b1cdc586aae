import type { Audit, createAudit as real } from '../../src/audit/observe.ts';
import { SvcError } from '../../src/errors.ts';

/** Replaces `src/audit/observe.ts` in artefacts of a profile without audit, which do not start if audit is switched on. */
export const createAudit = ((): Audit => ({
  observe() {},
  admit() {
    throw new SvcError('config_invalid', 'This artefact was built without audit.');
  },
})) satisfies typeof real;
