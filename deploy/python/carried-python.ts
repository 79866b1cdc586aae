import { openProjectFiles } from '../../adapters/node/project/project-files.ts';
import { SvcError } from '../../src/errors.ts';
import type { Files } from '../../src/ports.ts';
import type { PythonProject } from './check.ts';

/** The Python that goes into an artefact. */
export interface CarriedPython extends PythonProject {
  /** The bytes of each of its files, by the path in the project. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Files that Python, editors and tools leave behind, and the facts of an installation in a package's metadata. */
const LEFT =
  /(^|\/)(__pycache__|\.[^/]+)(\/|$)|\.py[co]$|\.dist-info\/(RECORD|INSTALLER|REQUESTED|WHEEL|direct_url\.json)$/;

/**
 * Reads the files of Python endpoints and the project's folder of modules; null if there is no Python endpoint. Throws
 * `target_unsupported` if that folder is the project itself, whose other files do not belong into an artefact.
 */
export async function readPython(
  root: string,
  endpoints: readonly string[],
  folder: string,
): Promise<CarriedPython | null> {
  if (endpoints.length === 0) return null;
  if (folder === '.') throw wholeProject();
  const project = await openProjectFiles(root);
  const files = new Map<string, Uint8Array>();
  for (const path of [...new Set([...endpoints, ...(await listModules(project, folder))])].toSorted()) {
    const bytes = await project.read(path);
    if (bytes === null) throw linked(path);
    files.set(path, bytes);
  }
  return { endpoints: [...new Set(endpoints)], folder, files, ...textsOf(files) };
}

/** Lists the files of the folder of modules that go into an artefact. */
export async function listModules(project: Files, folder: string): Promise<readonly string[]> {
  return (await project.list(folder)).filter((path) => !LEFT.test(path));
}

function linked(path: string): SvcError {
  return new SvcError(
    'project_invalid',
    `${path} is a link to a folder, or to nothing, and an artefact has no links. Copy the folder there, or remove the link.`,
  );
}

function wholeProject(): SvcError {
  return new SvcError(
    'target_unsupported',
    'An artefact contains the whole folder `paths.python`, and in svc-site.yml that is the project itself, with its databases, settings and builds. Move the modules into a folder such as python/, and write `python: python`.',
  );
}

function textsOf(files: CarriedPython['files']): Pick<PythonProject, 'sources' | 'others'> {
  const decoder = new TextDecoder();
  const python = [...files].filter(([path]) => path.endsWith('.py'));
  return {
    sources: new Map(python.map(([path, bytes]) => [path, decoder.decode(bytes)])),
    others: [...files.keys()].filter((path) => !path.endsWith('.py')),
  };
}
