import { expect, test } from 'vitest';
import { toDeploymentName } from '../../../../deploy/targets/target.ts';

test.each([
  ['hello', 'hello'],
  ['Sales Reports_2026', 'sales-reports-2026'],
  ['2026 plan', 'plan'],
  ['--x--', 'server-x'],
  ['東京', 'server-130016b2'],
  ['2026', 'server-158a323a'],
  ['"; rm -rf / #', 'rm-rf'],
  ['a'.repeat(80), 'a'.repeat(50)],
])('%s is %s to the platforms', (project, slug) => {
  expect(toDeploymentName(project)).toBe(slug);
});
