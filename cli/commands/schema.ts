import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { EDITOR_FILES, editorSchemaOf } from '../../src/quality/editor/files.ts';
import type { Run } from '../command.ts';
import type { Output } from '../io/output.ts';
import { writeText } from '../io/write-files.ts';

/** `svc schema [file]`: prints the JSON Schema by which editors complete and check project files. */
export const run: Run = async (input, output) => {
  const [asked = 'endpoint'] = input.args;
  if (asked === 'python') return writeStubs(input.text('out'), output);
  const file = EDITOR_FILES.find((known) => known === asked);
  if (file === undefined) {
    throw new SvcError('usage', `${asked} has no schema. Choose ${EDITOR_FILES.join(', ')}, python.`);
  }
  const schema = editorSchemaOf(file);
  const out = input.text('out');
  if (out === undefined) {
    output.data(schema, () => JSON.stringify(schema, null, 2));
    return 0;
  }
  await writeText(out, `${JSON.stringify(schema, null, 2)}\n`);
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

/** Writes the types of `svc.runtime` for editors. Most editors search `typings/` by themselves. */
async function writeStubs(out: string | undefined, output: Output): Promise<number> {
  const { hostFolder } = await import('../../adapters/python/host-folder.ts');
  const text = await readFile(join(hostFolder(), 'svc/runtime.pyi'), 'utf8');
  if (out === undefined) {
    output.data({ stub: text }, () => text.trimEnd());
    return 0;
  }
  await writeText(out, text);
  const hint = 'Pyright and VS Code find it as typings/svc/runtime.pyi, mypy with MYPYPATH=typings.';
  output.data({ status: 'ok', file: 'python', path: out }, () => `wrote ${out}\n${hint}`);
  return 0;
}

const GLOBS = {
  endpoint: ['tools/**/*.yml', 'resources/**/*.yml', 'prompts/**/*.yml'],
  site: ['svc-site.yml'],
  evals: ['evals/**/*.yml'],
};
