import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
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
