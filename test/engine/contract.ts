import { afterAll, beforeAll, describe } from 'vitest';
import type { Database } from '../../src/ports.ts';
import { describeCallers } from './contract/callers.ts';
import { describeErrors } from './contract/errors.ts';
import { describeLimits } from './contract/limits.ts';
import { describeOpening } from './contract/opening.ts';
import { describeParameters } from './contract/parameters.ts';
import { describePreparing } from './contract/preparing.ts';
import { describeReading } from './contract/reading.ts';
import { describeResults } from './contract/results.ts';
import { describeScans } from './contract/scans.ts';
import type { Open, Subject } from './contract/subject.ts';
import { createFixture, type Fixture, removeFixture } from './fixture.ts';
import type { EngineName } from './types.ts';

/** What every engine does the same, subject by subject. */
export function describeEngine(engine: EngineName, open: Open): void {
  describe(`${engine}, as every engine`, () => {
    let fixture: Fixture;
    let database: Database;
    beforeAll(async () => {
      fixture = await createFixture();
      database = await open(fixture.shop);
    });
    afterAll(async () => {
      await database?.close();
      await removeFixture(fixture);
    });

    const subject: Subject = {
      engine,
      open,
      get database() {
        return database;
      },
      get fixture() {
        return fixture;
      },
    };
    describeOpening(subject);
    describeParameters(subject);
    describeResults(subject);
    describeErrors(subject);
    describePreparing(subject);
    describeReading(subject);
    describeLimits(subject);
    describeScans(subject);
    describeCallers(subject);
  });
}
