import type { Files } from '../ports.ts';
import { checkDuplicates } from './endpoints/check-duplicates.ts';
import { discoverEndpoints } from './endpoints/discover.ts';
import { type LoadedFile, loadEndpointFile } from './endpoints/endpoint-file.ts';
import { byPlace } from './issue.ts';
import type { Project } from './model.ts';
import { DEFAULT_PATHS, loadSite } from './site.ts';
import { discoverSkills } from './skills/discover.ts';
import { loadSkill } from './skills/load.ts';

/** The number of files open at a time. More would only wait for the disk. */
const PARALLEL = 32;

/** Reads the whole project under a profile; the default is the profile of the site file. Errors become findings. */
export async function loadProject(files: Files, root: string, profile?: string): Promise<Project> {
  const { site, positions: sitePositions, findings } = await loadSite(files, profile);
  const discovered = await discoverEndpoints(files, site?.paths ?? DEFAULT_PATHS, sitePositions);
  const { found } = discovered;
  const loaded: LoadedFile[] = [];
  for (let start = 0; start < found.length; start += PARALLEL) {
    const batch = found.slice(start, start + PARALLEL);
    loaded.push(...(await Promise.all(batch.map((one) => loadEndpointFile(files, one)))));
  }
  const skills = await discoverSkills(files, site?.paths ?? DEFAULT_PATHS, sitePositions);
  loaded.push(...(await Promise.all(skills.found.map((one) => loadSkill(files, one)))));
  const endpoints = loaded.map(({ file }) => file);
  const all = [
    ...findings,
    ...discovered.findings,
    ...skills.findings,
    ...loaded.flatMap((one) => one.findings),
    ...checkDuplicates(endpoints),
  ];
  return { root, site, sitePositions, endpoints, findings: all.toSorted(byPlace) };
}
