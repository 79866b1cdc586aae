import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findUserFile } from '../../adapters/node/user-file.ts';
import { OLD_SITE } from './plan.ts';
import type { MigrationNote } from './rewrite.ts';
import { editYaml, keysAt, nodeValueAt } from './yaml-edit.ts';

/**
 * Notes each secret that the site file names and the user file does not define, because `svc validate` fails until it
 * is defined. The user file is the migrated one, else the one that svc finds on this machine.
 */
export async function noteUndefinedSecrets(
  root: string,
  migrated: string | null,
): Promise<readonly MigrationNote[]> {
  const site = editYaml(await readFile(join(root, OLD_SITE), 'utf8'));
  if (site === null) return [];
  const [project, profile] = ['project', 'profile'].map((key) => String(nodeValueAt(site.value, [key])));
  const place = ['projects', project ?? '', 'profiles', profile ?? '', 'secrets'];
  const user = editYaml(migrated ?? (await ownUserFile()))?.value ?? null;
  const defined = keysAt(user, place).map((index) => nodeValueAt(user, [...place, index, 'name']));
  return keysAt(site.value, ['secrets']).flatMap((index) => {
    const path = ['secrets', index];
    const name = nodeValueAt(site.value, path);
    if (typeof name !== 'string' || defined.includes(name)) return [];
    const message = `The user file does not define the secret ${name}. Add it there under ${place.join('.')}; until then, \`svc validate\` fails.`;
    return [{ kind: 'check', file: OLD_SITE, line: site.lineOf(path), message }];
  });
}

/** The text of svc's user file; empty if there is none, or if it cannot be read. */
async function ownUserFile(): Promise<string> {
  const found = await findUserFile(process.env).catch(() => null);
  return new TextDecoder().decode(found?.bytes);
}
