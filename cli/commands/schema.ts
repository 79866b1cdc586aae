import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { EDITOR_FILES, editorSchemaOf } from '../../src/quality/editor/files.ts';
import type { Run } from '../command.ts';

/** `svc schema [file]`: the JSON Schema by which an editor completes and checks endpoint files, or the site file. */
export const run: Run = async (input, output) => {
  const [asked = 'endpoint'] = input.args;
  const file = EDITOR_FILES.find((known) => known === asked);
  if (file === undefined) {
    throw new SvcError('usage', `${asked} is no file with a schema. Choose ${EDITOR_FILES.join(', ')}.`);
  }
  const schema = editorSchemaOf(file);
  const out = input.text('out');
  if (out === undefined) {
    output.data(schema, () => JSON.stringify(schema, null, 2));
    return 0;
  }
  await mkdir(dirname(resolve(out)), { recursive: true });
  await writeFile(out, `${JSON.stringify(schema, null, 2)}\n`);
  output.data(
    { status: 'ok', file, path: out },
    () => `wrote ${out}
In the first line of a file, with the path from there:
  # yaml-language-server: $schema=${out}
Or for all files, in .vscode/settings.json:
  ${JSON.stringify({ 'yaml.schemas': { [out]: GLOBS[file] } })}`,
  );
  return 0;
};

const GLOBS = {
  endpoint: ['tools/**/*.yml', 'resources/**/*.yml', 'prompts/**/*.yml'],
  site: ['svc-site.yml'],
  evals: ['evals/**/*.yml'],
};
