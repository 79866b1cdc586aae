import { describe, expect, it, test } from 'vitest';
import { TARGET_NAMES, TARGETS, toChoice } from '../../../../deploy/targets/targets.ts';
import { PLATFORMS } from '../../../matrix/platforms.ts';

describe.each(TARGET_NAMES)('the target %s', (name) => {
  it('describes itself in the README of its artefact', async () => {
    const { target } = await TARGETS[name].load();
    const { 'README.md': readme } = target.files({
      callers: 'no sign-in, public on purpose',
      project: 'sales',
      version: '1.0.0',
    });
    expect(readme).toMatch(
      new RegExp(`^# sales on ${TARGETS[name].title}\n[^]*svc preview --target ${name}`),
    );
  });

  it('is among the platforms on which test/matrix runs its cases', () => {
    expect(PLATFORMS.map(({ target }) => target)).toContain(name);
  });
});

test.each([
  [['node'], 'node'],
  [['node', 'aws-lambda'], 'node or aws-lambda'],
  [['node', 'aws-lambda', 'deno'], 'node, aws-lambda or deno'],
])('%j are offered as "%s"', (names, text) => {
  expect(toChoice(names)).toBe(text);
});
