import { expect, test } from 'vitest';
import { bundle } from '../../../../deploy/bundle.ts';
import { LAYOUTS } from '../../../targets.ts';

const included = {
  settings: true,
  config: true,
  policies: false,
  prompts: false,
  audit: true,
  auth: false,
  telemetry: false,
};

test.each(LAYOUTS)('$name has nothing of Python where no endpoint is in it', async ({ entry, runtime }) => {
  const { metafile } = await bundle(entry, runtime, { ...included, python: false });
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  expect(used.filter((path) => /python/.test(path))).toEqual(['adapters/artefact/no-python.ts']);
});
