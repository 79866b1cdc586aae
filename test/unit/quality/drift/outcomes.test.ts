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
  ['passed', 'failed', 'breaking: What it promises does not hold.'],
  ['passed', 'error', 'breaking: What it promises does not hold.'],
  [undefined, 'failed', 'breaking: What it promises does not hold.'],
  ['not run', 'error', 'breaking: What it promises does not hold.'],
  ['failed', 'error', null],
  ['failed', 'passed', 'widening: It does not fail any more.'],
  ['passed', 'not run', 'wording: It is no longer tested.'],
  ['failed', 'not run', 'wording: It is no longer tested.'],
  ['passed', undefined, 'wording: It is no longer tested.'],
  ['not run', 'passed', 'wording: More is tested.'],
  [undefined, 'passed', 'wording: More is tested.'],
  [undefined, 'not run', null],
  ['not run', undefined, null],
])('a test that was %s and is %s', (before, after, told) => {
  const changes = compareSnapshots(snapshot(before), snapshot(after));
  expect(changes.map(({ class: name, message }) => `${name}: ${message}`)).toEqual(told ? [told] : []);
});
