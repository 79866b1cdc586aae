import type { Files } from '../ports.ts';
import { nearestName } from '../types/nearest.ts';
import { checkAttached } from './check-attach.ts';
import { type Finding, type SourceIssue, toFindings } from './finding.ts';
import { readText } from './read.ts';
import { toPolicies } from './schema/endpoint.ts';
import { checkSchema, problemAt } from './schema/issues.ts';
import { present } from './schema/shape.ts';
import { type ParsedProfile, type ParsedSiteFile, SITE_FILE } from './schema/site.ts';
import {
  type Dbt,
  DEFAULT_PATHS,
  type Paths,
  SITE_NAME,
  type SiteFile,
  type SiteProfile,
  SQL_TOOLS,
  type TableRule,
} from './site-model.ts';
import type { Positions } from './yaml/position.ts';
import { parseYaml, type YamlFile } from './yaml/yaml.ts';

/** The site, null if it has errors, and every finding. */
interface LoadedSite {
  readonly site: SiteFile | null;
  readonly positions: Positions;
  readonly findings: readonly Finding[];
}

/** Reads and checks `svc-site.yml` under a profile; the default is the profile that the file names. */
export async function loadSite(files: Files, profile?: string): Promise<LoadedSite> {
  const read = await readText(files, SITE_NAME);
  if ('problem' in read) return failed([read.problem]);
  if (read.text === null) return failed([absent()]);
  const parsed = parseYaml(read.text);
  if ('problems' in parsed) return failed(parsed.problems);
  const checked = checkSchema(SITE_FILE, parsed.yaml);
  if ('problems' in checked) return failed(checked.problems);
  const active = profile ?? checked.value.profile;
  const problems = [
    ...checkProfile(checked.value, active, parsed.yaml),
    ...checkAttached(checked.value, parsed.yaml),
  ];
  if (problems.length > 0) return failed(problems);
  return { site: toSite(checked.value, active), positions: parsed.yaml.positions, findings: [] };
}

function failed(problems: readonly SourceIssue[]): LoadedSite {
  return { site: null, positions: {}, findings: toFindings(SITE_NAME, problems) };
}

function absent(): SourceIssue {
  return {
    code: 'site-missing',
    message: `There is no ${SITE_NAME} in the project's folder.`,
    fix: 'Create a project with `svc init`, or write one with `svc`, `project` and `profile`.',
    position: { line: 1, column: 1 },
  };
}

/** Rejects an undeclared profile. It would start with a new, empty database, so it is probably a typing error. */
function checkProfile(
  { profile: own, profiles }: ParsedSiteFile,
  asked: string,
  yaml: YamlFile,
): readonly SourceIssue[] {
  const names = Object.keys(profiles ?? {});
  if (names.includes(asked)) return [];
  const near = nearestName(asked, names);
  // The site file's own profile needs no entry if no other name is similar.
  if (asked === own && near === null) return [];
  const known = [...new Set(asked === own ? names : [own, ...names])];
  return [
    problemAt(yaml, [asked === own ? 'profile' : 'profiles'], {
      code: 'profile-unknown',
      message: `There is no profile ${JSON.stringify(asked.slice(0, 64))}; known: ${known.join(', ')}.`,
      fix: near === null ? 'Declare it under `profiles`, or choose another.' : `Did you mean ${near}?`,
    }),
  ];
}

function toSite(parsed: ParsedSiteFile, profile: string): SiteFile {
  const paths = { ...DEFAULT_PATHS, ...present(parsed.paths ?? {}) } as Paths;
  const profiles = Object.fromEntries(
    Object.entries(parsed.profiles ?? {}).map(([name, written]) => [name, toProfile(written)]),
  );
  const { database = {}, extensions = [], python = {}, drift = {}, audit = {} } = profiles[profile] ?? {};
  const features = toFeatures(parsed);
  const within = (path: string) => path.replaceAll('{profile}', profile);
  return {
    project: parsed.project,
    profile,
    database: {
      path: within(database.path ?? `${paths.data}/db-{profile}.db`),
      readonly: database.readonly ?? false,
      engine: database.engine ?? 'auto',
      isolation: database.isolation ?? 'auto',
      memoryLimit: database.memory_limit ?? null,
      sandbox: database.sandbox ?? false,
      attach: database.attach ?? [],
      use: database.use ?? null,
    },
    python: { interpreter: python.interpreter ?? null },
    drift: { path: within(drift.path ?? `${paths.drift}/drift-{profile}.json`) },
    audit: {
      enabled: audit.enabled ?? false,
      path: within(audit.path ?? `${paths.audit}/logs-{profile}.jsonl`),
      maxFileSize: audit.max_file_size ?? 52_428_800,
      retentionDays: audit.retention_days ?? null,
      onError: audit.on_error ?? 'block',
      inputs: audit.inputs ?? true,
      outputs: audit.outputs ?? false,
    },
    paths,
    profiles,
    ...features,
    extensions: [...features.extensions, ...extensions],
  };
}

function toProfile(written: ParsedProfile | null | undefined): SiteProfile {
  const { database, extensions, python, drift, audit } = written ?? {};
  return {
    ...(database ? { database: toDatabase(database) } : {}),
    ...(extensions ? { extensions: extensions.map(present) } : {}),
    ...(python ? { python: present(python) } : {}),
    ...(drift ? { drift: present(drift) } : {}),
    ...(audit ? { audit: present(audit) } : {}),
  };
}

function toDatabase({ attach, ...database }: NonNullable<ParsedProfile['database']>) {
  return { ...present(database), ...(attach ? { attach: attach.map(present) } : {}) };
}

function toFeatures({
  extensions,
  dbt,
  sql_tools,
  tool_search,
  schema_profile,
  secrets,
  plugin,
  limits,
}: ParsedSiteFile) {
  const described = SQL_TOOLS.map((name) => [name, sql_tools?.[name]?.description] as const);
  const governed = SQL_TOOLS.map((name) => [name, toPolicies(sql_tools?.[name]?.policies)] as const);
  return {
    extensions: (extensions ?? []).map(present),
    dbt: dbt ? toDbt(dbt) : null,
    sqlTools: {
      enabled: sql_tools?.enabled ?? false,
      attached: sql_tools?.attached ?? false,
      descriptions: Object.fromEntries(described.filter(([, text]) => text)),
      policies: Object.fromEntries(governed),
      tables: sql_tools?.tables ? (sql_tools.tables.map(present) as readonly TableRule[]) : null,
    },
    toolSearch: tool_search ?? false,
    schemaProfile: schema_profile ?? null,
    secrets: secrets ?? [],
    plugins: (plugin ?? []).map(present),
    limits: present(limits ?? {}),
  };
}

/** dbt's folders if the site file names none. */
export const DBT_DEFAULTS: Dbt = {
  enabled: true,
  model_paths: ['models'],
  analysis_paths: ['analyses'],
  test_paths: ['tests'],
  seed_paths: ['seeds'],
  macro_paths: ['macros'],
  snapshot_paths: ['snapshots'],
  target_path: 'target',
  clean_targets: ['target', 'dbt_packages'],
};

function toDbt(written: NonNullable<ParsedSiteFile['dbt']>) {
  return { ...DBT_DEFAULTS, ...present(written) };
}
