import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { isRemote, MEMORY_PATH } from '../../src/project/attachment.ts';
import type { SiteFile } from '../../src/project/site-model.ts';
import { type CheckedProject, siteOf } from '../project/project.ts';

export const PROJECT_FILE = 'dbt_project.yml';
export const PROFILES_FILE = 'profiles.yml';

/**
 * The folder of the dbt project: the nearest folder with dbt_project.yml from here up to the project's root, else the
 * root.
 */
export function dbtFolder(root: string, start: string): string {
  for (let folder = start; folder.startsWith(root); folder = dirname(folder)) {
    if (existsSync(join(folder, PROJECT_FILE))) return folder;
    if (folder === root || folder === dirname(folder)) break;
  }
  return root;
}

/** The site file of a project that uses dbt. Throws if dbt is turned off. */
export function dbtSite(checked: CheckedProject): SiteFile {
  siteOf(checked);
  const { site } = checked.project;
  if (site && site.dbt?.enabled !== false) return site;
  throw new SvcError(
    'project_invalid',
    'dbt is switched off for this project. Set `dbt.enabled: true` in svc-site.yml, or remove the line.',
  );
}

/**
 * Throws project_invalid if a database's path is an address or `:memory:`. dbt would take an address for the name of a
 * folder, and a database in memory ends with dbt. An author who writes elsewhere sets `SVC_DATABASE_PATH=:memory:`.
 */
export function refuseNoFile(path: string): void {
  const memory = path === MEMORY_PATH && process.env.SVC_DATABASE_PATH !== MEMORY_PATH;
  if (!isRemote(path) && !memory) return;
  const next = memory
    ? 'If your models write elsewhere, such as into attached databases of profiles.yml, set SVC_DATABASE_PATH=:memory:.'
    : 'Upload the file after the build.';
  throw new SvcError(
    'project_invalid',
    `dbt builds into a file of this machine, and the database of this profile is ${memory ? 'in memory' : 'at an address'}.
Add a profile to svc-site.yml whose \`database.path\` is a file, and run dbt with it: \`svc dbt --profile <name> build\`.
${next}`,
  );
}
