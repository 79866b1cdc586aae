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
