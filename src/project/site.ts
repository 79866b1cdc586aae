import { nearestName } from '../types/nearest.ts';
import { type Checked, checkSchema, findingAt } from './issues.ts';
import type { Site } from './model.ts';
import { SITE_FILE, type SiteFile } from './site-schema.ts';
import type { YamlFile } from './yaml-file.ts';

/** The site file's name, at the project's root. */
export const SITE_NAME = 'svc-site.yml';

/** Checks the site file and resolves the active profile: the one asked for, else the one the file names. */
export function checkSite(yaml: YamlFile, asked: string | undefined): Checked<Site> {
  const checked = checkSchema(yaml, [], SITE_FILE, yaml.value);
  if (!checked.ok) return checked;
  const profile = asked ?? checked.value.profile;
  const known = [...new Set([checked.value.profile, ...Object.keys(checked.value.profiles ?? {})])];
  if (known.includes(profile)) return { ok: true, value: toSite(checked.value, profile) };
  const nearest = nearestName(profile, known);
  return {
    ok: false,
    findings: [
      findingAt(yaml, ['profile'], {
        code: 'unknown-profile',
        message: `There is no profile ${JSON.stringify(profile)}; the site file has ${known.join(', ')}.`,
        fix: nearest ? `Did you mean ${nearest}?` : 'Name one of these, or add it under `profiles`.',
      }),
    ],
  };
}

function toSite(file: SiteFile, profile: string): Site {
  const { database, drift, audit } = file.profiles?.[profile] ?? {};
  const folder = (name: keyof NonNullable<SiteFile['paths']>) => clean(file.paths?.[name] ?? name);
  return {
    project: file.project,
    profile,
    database: {
      path: database?.path ?? `${folder('data')}/db-${profile}.db`,
      readonly: database?.readonly ?? false,
      engine: database?.engine ?? 'auto',
    },
    drift: { path: drift?.path ?? `${folder('drift')}/drift-${profile}.json` },
    audit: {
      enabled: audit?.enabled ?? false,
      path: audit?.path ?? `${folder('audit')}/logs-${profile}.jsonl`,
      maxFileSize: audit?.max_file_size ?? 50 * 1024 * 1024,
    },
    paths: {
      tools: folder('tools'),
      resources: folder('resources'),
      prompts: folder('prompts'),
      evals: folder('evals'),
      python: folder('python'),
    },
    extensions: (file.extensions ?? []).map((extension) =>
      typeof extension === 'string'
        ? { name: extension, repo: 'core' }
        : { name: extension.name, repo: extension.repo ?? 'core' },
    ),
    sqlTools: {
      enabled: file.sql_tools?.enabled ?? false,
      descriptions: Object.fromEntries(
        (['execute_sql_query', 'list_tables', 'get_table_schema'] as const).flatMap((name) => {
          const description = file.sql_tools?.[name]?.description;
          return description === undefined ? [] : [[name, description]];
        }),
      ),
    },
    secrets: file.secrets ?? [],
  };
}

/** `./tools/` is `tools`. */
function clean(path: string): string {
  return path.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
}
