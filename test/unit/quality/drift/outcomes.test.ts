import { expect, it } from 'vitest';
import { compareSnapshots } from '../../../../src/quality/drift/compare-snapshot.ts';
import type { Snapshot, TestOutcome } from '../../../../src/quality/drift/snapshot.ts';

const snapshot = (outcome?: TestOutcome): Snapshot => ({
  project: 'p',
  profile: 'default',
  tables: {},
  endpoints: {
    'tool a': {
      file: 'tools/a.yml',
      contract: { input: {} },
      limits: {},
      tests: outcome === undefined ? {} : { one: outcome },
    },
  },
  files: {},
});

it.each<[TestOutcome | undefined, TestOutcome | undefined, string | null]>([
  ['passed', 'failed', 'breaking: The test fails.'],
  ['passed', 'error', 'breaking: The test fails.'],
  [undefined, 'failed', 'breaking: The test fails.'],
  ['not run', 'error', 'breaking: The test fails.'],
  ['failed', 'error', null],
  ['failed', 'passed', 'widening: It no longer fails.'],
  ['passed', 'not run', 'wording: It is no longer tested.'],
  ['failed', 'not run', 'wording: It is no longer tested.'],
  ['passed', undefined, 'wording: It is no longer tested.'],
  ['not run', 'passed', 'wording: It is tested now.'],
  [undefined, 'passed', 'wording: It is tested now.'],
  [undefined, 'not run', null],
  ['not run', undefined, null],
])('a test that was %s and is %s', (before, after, told) => {
  const changes = compareSnapshots(snapshot(before), snapshot(after));
  expect(changes.map(({ class: name, message }) => `${name}: ${message}`)).toEqual(told ? [told] : []);
});
