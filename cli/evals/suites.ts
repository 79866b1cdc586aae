import { openProjectFiles } from '../../adapters/node/project/project-files.ts';
import { SvcError } from '../../src/errors.ts';
import { checkSuites } from '../../src/quality/evals/check.ts';
import { type LoadedSuites, loadSuites, type SuiteFile } from '../../src/quality/evals/suite.ts';
import { nearestName } from '../../src/types/nearest.ts';
import type { CheckedProject } from '../project/project.ts';

/** Loads the suites of a project with their findings. */
export async function loadProjectSuites({ project }: CheckedProject): Promise<LoadedSuites> {
  if (project.site === null) return { files: [], findings: [] };
  const files = await openProjectFiles(project.root);
  const loaded = await loadSuites(files, project.site.paths.evals);
  return { files: loaded.files, findings: [...loaded.findings, ...checkSuites(loaded.files, project)] };
}

/** Chooses one suite by its name, or all. A suite without a readable name is chosen by its path. */
export function chooseSuites(files: readonly SuiteFile[], asked: string | undefined): readonly SuiteFile[] {
  if (asked === undefined) return files;
  const found = files.filter(({ file, suite }) => suite?.name === asked || file === asked);
  if (found.length > 0) return found;
  const names = files.map(({ file, suite }) => suite?.name ?? file);
  const near = nearestName(asked, names);
  const known = names.length === 0 ? 'There are no suites below evals/.' : `Suites: ${names.join(', ')}`;
  const hint = near === null ? '' : ` Did you mean ${near}?`;
  throw new SvcError('usage', `There is no suite ${asked}.${hint}\n${known}`);
}
