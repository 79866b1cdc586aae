import type { Files } from '../ports.ts';
import { checkDuplicates } from './check-duplicates.ts';
import { type FoundFile, type LoadedFile, loadEndpointFile } from './endpoint-file.ts';
import { ENDPOINT_KINDS, type EndpointKind, type Project } from './model.ts';
import { byPlace } from './problem.ts';
import { DEFAULT_PATHS, loadSite } from './site.ts';
import type { Paths } from './site-model.ts';

/** Open at a time; more would only wait for the disk. */
const PARALLEL = 32;

const FOLDER_OF = { tool: 'tools', resource: 'resources', prompt: 'prompts' } as const;

/** Reads the whole project, under a profile or the one that the site file names; what is wrong becomes findings. */
export async function loadProject(files: Files, root: string, profile?: string): Promise<Project> {
  const { site, positions: sitePositions, findings } = await loadSite(files, profile);
  const found = await findEndpointFiles(files, site?.paths ?? DEFAULT_PATHS);
  const loaded: LoadedFile[] = [];
  for (let start = 0; start < found.length; start += PARALLEL) {
    const batch = found.slice(start, start + PARALLEL);
    loaded.push(...(await Promise.all(batch.map((one) => loadEndpointFile(files, one)))));
  }
  const endpoints = loaded.map(({ file }) => file);
  return {
    root,
    site,
    sitePositions,
    endpoints,
    findings: [...findings, ...loaded.flatMap((one) => one.findings), ...checkDuplicates(endpoints)].toSorted(
      byPlace,
    ),
  };
}

async function findEndpointFiles(files: Files, paths: Paths): Promise<readonly FoundFile[]> {
  const found = new Map<string, EndpointKind[]>();
  for (const kind of ENDPOINT_KINDS) {
    for (const file of await files.list(paths[FOLDER_OF[kind]])) {
      if (isEndpointFile(file)) found.set(file, [...(found.get(file) ?? []), kind]);
    }
  }
  return [...found].map(([file, kinds]) => ({ file, kinds })).toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

/** Files that editors and tools leave behind begin with a dot. */
function isEndpointFile(file: string): boolean {
  return /\.ya?ml$/i.test(file) && !file.split('/').some((step) => step.startsWith('.'));
}
