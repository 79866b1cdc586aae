import type { Files } from '../../ports.ts';
import type { Finding } from '../finding.ts';
import { ENDPOINT_KINDS, type EndpointKind } from '../model.ts';
import { listFolder } from '../read.ts';
import { DEFAULT_PATHS, SITE_NAME } from '../site.ts';
import type { Paths } from '../site-model.ts';
import { type Positions, positionAt } from '../yaml/position.ts';
import type { FoundFile } from './endpoint-file.ts';

const FOLDERS = { tool: 'tools', resource: 'resources', prompt: 'prompts' } as const;

/** The endpoint files of a project, ordered by path, and findings about its folders. */
export interface Discovered {
  readonly found: readonly FoundFile[];
  readonly findings: readonly Finding[];
}

/** Searches the folders of the site file for endpoint files. */
export async function discoverEndpoints(
  files: Files,
  paths: Paths,
  positions: Positions,
): Promise<Discovered> {
  const kindsOf = new Map<string, EndpointKind[]>();
  const findings: Finding[] = [];
  for (const kind of ENDPOINT_KINDS) {
    const name = FOLDERS[kind];
    const listed = await listFolder(files, paths[name]);
    const own = 'code' in listed ? [] : listed.filter((file) => isEndpointFile(file, paths[name]));
    for (const file of own) kindsOf.set(file, [...(kindsOf.get(file) ?? []), kind]);
    const place = { file: SITE_NAME, ...positionAt(positions, ['paths', name]) };
    if ('code' in listed) findings.push(unreadable(listed.message, place));
    else if (own.length === 0 && paths[name] !== DEFAULT_PATHS[name])
      findings.push(empty(paths[name], place));
  }
  const found = [...kindsOf].map(([file, kinds]) => ({ file, kinds }));
  return { found: found.toSorted((one, other) => (one.file < other.file ? -1 : 1)), findings };
}

/** Skips files that begin with a dot, which editors and tools leave behind. */
function isEndpointFile(file: string, folder: string): boolean {
  const below = folder === '.' ? file : file.slice(folder.length);
  return /\.ya?ml$/i.test(file) && !/(^|\/)\./.test(below) && file !== SITE_NAME;
}

type Place = Pick<Finding, 'file' | 'line' | 'column'>;

function unreadable(message: string, place: Place): Finding {
  const fix = 'Keep the folder inside the project, and give this user the right to read it.';
  return { severity: 'error', code: 'file-unreadable', ...place, message, fix };
}

/** A folder that the site file names must contain endpoints. */
function empty(folder: string, place: Place): Finding {
  return {
    severity: 'warning',
    code: 'folder-empty',
    ...place,
    message: `There is no .yml file below ${folder}.`,
    fix: 'Correct the path, or remove the key.',
  };
}
