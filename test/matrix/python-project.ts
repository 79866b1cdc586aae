import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Reach } from './clients.ts';
import { createProject } from './fixture.ts';
import { rawCall } from './raw.ts';

/** Files by their path in the project. */
export type Files = { readonly [path: string]: string };

/** The YAML of a tool in `python/tools.py`. */
export const tool = (name: string, parameters = '[]', more = '') =>
  `svc: 1\ntool: {name: ${name}, description: Test., language: python, source: {file: ../python/tools.py}, parameters: ${parameters}${more}}\n`;

/** What both kinds of artefact have, beside what `python/tools.py` has on each. */
export const SHARED: Files = {
  'tools/amounts.yml': tool('amounts', '[{name: country, type: string, description: Which.}]'),
  'tools/everything.yml': tool('everything'),
  'tools/fails.yml': tool('fails'),
  'tools/refuses.yml': tool('refuses'),
  'tools/ends.yml': tool('ends'),
  'tools/loops.yml': tool('loops', '[]', ', limits: {timeout: 1}'),
  'tools/large.yml': tool('large', '[]', ', limits: {bytes: 20000000}'),
  'tools/larger.yml': tool('larger'),
  'python/shared/__init__.py': 'def rounded(value):\n    return round(value, 2)\n',
};

/** A copy of the matrix project with Python in it. */
export async function createPythonProject(files: Files): Promise<string> {
  const root = await createProject();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

/** Calls tools of an artefact that runs. */
export function callerOf(reach: () => Reach) {
  return async (name: string, args = {}) => JSON.parse(await rawCall(reach(), name, args)).result;
}
