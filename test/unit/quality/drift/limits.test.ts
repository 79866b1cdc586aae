import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/json.ts';
import { compareSnapshots } from '../../../../src/quality/drift/compare-snapshot.ts';
import type { Snapshot } from '../../../../src/quality/drift/snapshot.ts';

const snapshot = (limits: JsonObject): Snapshot => ({
  project: 'p',
  profile: 'default',
  tables: {},
  endpoints: { 'tool a': { file: 'tools/a.yml', contract: { input: {} }, limits, tests: {} } },
  files: {},
});

it.each<[string, JsonObject, JsonObject, string | null]>([
  ['is new', {}, { scanRows: 1_000 }, 'breaking'],
  ['is lower', { scanRows: 1_000 }, { scanRows: 10 }, 'breaking'],
  ['is higher', { scanRows: 10 }, { scanRows: 1_000 }, 'widening'],
  ['is gone', { scanRows: 1_000 }, {}, 'widening'],
  ['is the same', { scanRows: 1_000 }, { scanRows: 1_000 }, null],
])('a limit on scans that %s', (_what, before, after, effect) => {
  const changes = compareSnapshots(snapshot(before), snapshot(after));
  expect(changes.map(({ class: name, path }) => [name, path])).toEqual(
    effect === null ? [] : [[effect, 'limits.scanRows']],
  );
});
