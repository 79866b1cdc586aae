import type { Files } from '../ports.ts';
import { checkEmptyFolder } from './empty-folder.ts';
import { type FoundFile, type LoadedFile, loadEndpointFile } from './endpoints/endpoint-file.ts';
import { byPlace, type Finding } from './finding.ts';
import {
  ENDPOINT_KINDS,
  type Endpoint,
  type EndpointFile,
  type EndpointKind,
  type Project,
} from './model.ts';
import { listFolder } from './read.ts';
import { loadSite } from './site.ts';
import { DEFAULT_PATHS, type Paths, SITE_NAME } from './site-model.ts';
import { discoverSkills } from './skills/discover.ts';
import { loadSkill } from './skills/load.ts';
import { parseUriTemplate, toShape } from './uri.ts';
import { type Positions, positionAt } from './yaml/position.ts';

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

const FOLDERS = { tool: 'tools', resource: 'resources', prompt: 'prompts' } as const;

/** The endpoint files of a project, ordered by path, and findings about its folders. */
interface Discovered {
  readonly found: readonly FoundFile[];
  readonly findings: readonly Finding[];
}

/** Searches the folders of the site file for endpoint files. */
async function discoverEndpoints(files: Files, paths: Paths, positions: Positions): Promise<Discovered> {
  const kindsOf = new Map<string, EndpointKind[]>();
  const findings: Finding[] = [];
  for (const kind of ENDPOINT_KINDS) {
    const name = FOLDERS[kind];
    const listed = await listFolder(files, paths[name]);
    const own = 'code' in listed ? [] : listed.filter((file) => isEndpointFile(file, paths[name]));
    for (const file of own) kindsOf.set(file, [...(kindsOf.get(file) ?? []), kind]);
    const position = positionAt(positions, ['paths', name]);
    if ('code' in listed) findings.push(unreadable(listed.message, { file: SITE_NAME, ...position }));
    else if (own.length === 0)
      findings.push(
        ...(await checkEmptyFolder(files, {
          key: name,
          paths,
          position,
          noun: '.yml file',
          sign: new RegExp(`^${kind}\\s*:`, 'm'),
        })),
      );
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

interface Named {
  readonly file: EndpointFile;
  readonly endpoint: Endpoint;
}

/** The number of duplicates that one finding names; thousands of copies would each name thousands. */
const MOST_NAMED = 5;

/** Reports every file of a group that shares a name or a URI. Disabled endpoints do not count. */
function checkDuplicates(files: readonly EndpointFile[]): readonly Finding[] {
  const named = files.flatMap((file) => (file.endpoint?.enabled ? [{ file, endpoint: file.endpoint }] : []));
  const groups = Map.groupBy(named, ({ endpoint }) => identityOf(endpoint));
  return [...groups.values()]
    .filter(({ length }) => length > 1)
    .flatMap((group) => group.map((one) => toFinding(one, group)));
}

function identityOf(endpoint: Endpoint): string {
  if (endpoint.kind !== 'resource') return endpoint.name;
  const parsed = parseUriTemplate(endpoint.uri);
  return 'template' in parsed ? toShape(parsed.template) : endpoint.uri;
}

function toFinding({ file, endpoint }: Named, group: readonly Named[]): Finding {
  const others = group
    .slice(0, MOST_NAMED + 1)
    .flatMap((other) => (other.file === file ? [] : [other.file.file]));
  const named = others.slice(0, MOST_NAMED);
  const more = group.length - 1 - named.length;
  const holders = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} ${group.length > 2 ? 'have' : 'has'}`;
  const key = endpoint.kind === 'resource' ? 'uri' : 'name';
  const shown = endpoint.kind === 'resource' ? endpoint.uri : endpoint.name;
  return {
    severity: 'error',
    code: 'duplicate-name',
    file: file.file,
    ...positionAt(file.positions, [endpoint.kind, key]),
    message: `The ${key === 'uri' ? 'URI' : 'name'} ${shown} is not unique: ${holders} it too.`,
    fix: 'Rename one of them, or set `enabled: false` for it.',
  };
}
