import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../../../deploy/bundle.ts';
import { LAYOUTS } from '../../targets.ts';

const NOTHING = {
  settings: true,
  config: true,
  policies: false,
  prompts: false,
  audit: false,
  auth: false,
  telemetry: false,
  python: false,
};

test.each(LAYOUTS)(
  '$name imports the parts that a project does not need only on demand',
  async ({ entry, runtime }) => {
    const { metafile } = await bundle(entry, runtime, NOTHING);
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    const leftOut = imports.filter(({ path }) => path.startsWith('left-out:'));
    expect([...new Set(leftOut.map(({ kind }) => kind))]).toEqual(['dynamic-import']);
  },
);

test.each(LAYOUTS)('$name without a user file has no YAML parser', async ({ entry, runtime }) => {
  const { metafile } = await bundle(entry, runtime, { ...NOTHING, settings: false, config: false });
  expect(Object.keys(metafile.inputs).filter((file) => file.includes('node_modules/yaml/'))).toEqual([]);
});

/** An importer that a pattern names. */
const ENTRY = '/adapters/cloudflare-workers/entry.ts';

test('each module that a bundle replaces or leaves out is imported by that name', () => {
  const specifiers = ['src', 'adapters']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, to = '']) => to),
    );
  // Each pattern of the file that names modules of ours, with each of its alternatives.
  const patterns = [
    ...readFileSync('deploy/bundle.ts', 'utf8').matchAll(/\/((?:[^/\\\n]|\\.)*\\\.\[jt\]s\$)\//g),
  ];
  const alternatives = patterns.flatMap(([, text = '']) => text.split(/\|(?![^(]*\))/).flatMap(spread));
  expect(alternatives.length).toBeGreaterThan(10);
  expect(
    alternatives.filter((one) => ![...specifiers, ENTRY].some((to) => new RegExp(one).test(to))),
  ).toEqual([]);
});

/** Returns a pattern once for each alternative of its group; a pattern has at most one. */
function spread(pattern: string): readonly string[] {
  const [group, inside = ''] = /\(([^)]+)\)/.exec(pattern) ?? [];
  return group === undefined ? [pattern] : inside.split('|').map((one) => pattern.replace(group, one));
}
