import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SvcError } from '../src/errors.ts';
import { checkLiteralSecrets } from '../src/settings/literal-secrets.ts';
import { refuse } from './gate.ts';

/** The user file that goes into the artefact, null when none was asked for; refuses one with secrets (design, D15). */
export async function readConfig(path: string | undefined, root: string): Promise<string | null> {
  if (path === undefined) return null;
  const bytes = await readFile(resolve(root, path)).catch((cause) => {
    const fix = 'Name a user file with --config, or leave the option out.';
    throw new SvcError('usage', `The user file ${path} cannot be read. ${fix}`, { cause });
  });
  refuse(checkLiteralSecrets(bytes, path).filter(({ severity }) => severity === 'error'));
  return new TextDecoder().decode(bytes);
}
