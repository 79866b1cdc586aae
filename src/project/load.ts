import type { Files } from '../ports.ts';
import { checkDuplicates } from './duplicates.ts';
import { type LoadedEndpoint, loadEndpoint } from './endpoint.ts';
import type { Finding } from './finding.ts';
import type { EndpointKind, Project, Site } from './model.ts';
import { checkSite, SITE_NAME } from './site.ts';
import { parseYaml, type YamlFile } from './yaml-file.ts';

const FOLDERS: readonly (readonly [EndpointKind, 'tools' | 'resources' | 'prompts'])[] = [
  ['tool', 'tools'],
  ['resource', 'resources'],
  ['prompt', 'prompts'],
];

/** Reads and checks everything the author wrote; whatever is wrong is a finding with its place. */
export async function loadProject(files: Files, root: string, profile?: string): Promise<Project> {
  const { site, findings } = await loadSite(files, profile);
  const loaded = (
    await Promise.all(FOLDERS.map(([kind, key]) => loadFolder(files, kind, site?.paths[key] ?? key)))
  ).flat();
  const endpoints = loaded.map(({ file }) => file);
  return {
    root,
    site,
    endpoints,
    findings: [...findings, ...loaded.flatMap((each) => each.findings), ...checkDuplicates(endpoints)],
  };
}

async function loadSite(
  files: Files,
  profile: string | undefined,
): Promise<{ site: Site | null; findings: readonly Finding[] }> {
  const bytes = await files.read(SITE_NAME);
  if (bytes === null) return { site: null, findings: [noSite()] };
  const yaml = parseYaml(SITE_NAME, bytes);
  if (!isYaml(yaml)) return { site: null, findings: yaml };
  const checked = checkSite(yaml, profile);
  return checked.ok ? { site: checked.value, findings: [] } : { site: null, findings: checked.findings };
}

async function loadFolder(
  files: Files,
  kind: EndpointKind,
  folder: string,
): Promise<readonly LoadedEndpoint[]> {
  const names = (await files.list(folder)).filter((name) => /\.ya?ml$/i.test(name));
  return Promise.all(names.map((name) => loadFile(files, kind, name)));
}

async function loadFile(files: Files, kind: EndpointKind, name: string): Promise<LoadedEndpoint> {
  const bytes = await files.read(name);
  const yaml = parseYaml(name, bytes ?? new Uint8Array());
  if (isYaml(yaml)) return loadEndpoint(files, yaml, kind);
  const start = { line: 1, column: 1 };
  return { file: { file: name, kind, endpoint: null, at: () => start }, findings: yaml };
}

function isYaml(parsed: YamlFile | readonly Finding[]): parsed is YamlFile {
  return 'value' in parsed;
}

function noSite(): Finding {
  return {
    severity: 'error',
    code: 'site-missing',
    file: SITE_NAME,
    line: 0,
    column: 0,
    message: `There is no ${SITE_NAME} at the project's root.`,
    fix: 'Create one with `svc init`.',
  };
}
