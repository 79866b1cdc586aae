import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkCatalog } from '../../src/catalog/checks/check.ts';
import type { Files } from '../../src/ports.ts';
import type { Finding } from '../../src/project/finding.ts';
import { loadProject } from '../../src/project/load.ts';
import { checkSuites } from '../../src/quality/evals/check.ts';
import { loadSuites } from '../../src/quality/evals/suite.ts';
import type { PlannedFile } from './plan.ts';

/** Validates the new project before it is written, except for its database. */
export async function checkPlan(root: string, planned: readonly PlannedFile[]): Promise<readonly Finding[]> {
  const files = plannedFilesOf(root, planned);
  const project = await loadProject(files, root);
  const suites = await loadSuites(files, project.site?.paths.evals ?? 'evals');
  return [
    ...project.findings,
    ...(await checkCatalog(project)),
    ...suites.findings,
    ...checkSuites(suites.files, project),
  ];
}

/** The files of the new project before they are written. */
export function plannedFilesOf(root: string, planned: readonly PlannedFile[]): Files {
  const known = new Map(planned.map((file) => [file.path, file]));
  return {
    list: async (folder) =>
      [...known.keys()].filter((path) => folder === '.' || path.startsWith(`${folder}/`)).sort(),
    read: async (path, limit) => {
      const file = known.get(path);
      if (file === undefined) return null;
      const bytes =
        file.text === null ? await readFile(join(root, file.from)) : new TextEncoder().encode(file.text);
      return new Uint8Array(bytes.subarray(0, limit));
    },
  };
}
