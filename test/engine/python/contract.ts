import { afterAll, beforeAll, describe } from 'vitest';
import { describeCalls } from './calls.ts';
import { describeIsolation } from './isolation.ts';
import { describeLifecycle } from './lifecycle.ts';
import { type Implementation, type Opened, openSubject } from './subject.ts';
import { describeValues } from './values.ts';

/** What every way of running Python does the same, subject by subject. */
export function describePython(implementation: Implementation): void {
  describe(`python (${implementation.name}), as everywhere`, () => {
    let subject: Opened | null = null;
    beforeAll(async () => {
      subject = await openSubject(implementation);
    });
    afterAll(async () => {
      await subject?.python.close();
      await implementation.remove?.();
    });
    const opened = (): Opened => {
      if (subject === null) throw new Error('it is not open');
      return subject;
    };
    describeValues(opened);
    describeCalls(implementation, opened);
    describeIsolation(implementation, opened);
    describeLifecycle(implementation, opened);
  });
}
