import type { JsonObject, JsonValue } from '../../src/json.ts';
import { type Extension, extensionsOfSecret } from '../../src/project/extension.ts';
import { DBT_DEFAULTS } from '../../src/project/site.ts';
import type { Dbt, SiteFile } from '../../src/project/site-model.ts';
import { toDbtProfile, toIdentifier, valuesOf } from './secret-names.ts';
import type { Wanted } from './yaml-merge.ts';

/** A secret as written in the user file; its values are not read. */
export interface WrittenSecret {
  readonly name: string;
  readonly type: string;
  readonly parameters: JsonObject;
}

/**
 * The values that profiles.yml needs: the same database, extensions and secrets, with variables in place of secret
 * values.
 */
export function wantedProfiles(
  site: SiteFile,
  secrets: readonly WrittenSecret[],
  database: string,
): readonly Wanted[] {
  const profile = toDbtProfile(site.project, site.profile);
  const output = [profile, 'outputs', site.profile];
  const extensions = site.extensions.map(toExtension);
  const known = secrets.filter(({ type }) => isKnown(type, site.extensions));
  return [
    { path: [profile, 'target'], value: site.profile, how: 'set' },
    { path: [...output, 'type'], value: 'duckdb', how: 'set' },
    { path: [...output, 'path'], value: toPath(database), how: 'set' },
    { path: [...output, 'threads'], value: 1, how: 'start' },
    { path: [...output, 'extensions'], value: extensions, how: 'items' },
    { path: [...output, 'secrets'], value: known.map(toSecret), how: 'items' },
  ];
}

/** Whether DuckDB knows secrets of a type with these extensions. It refuses the connection for other types. */
export function isKnown(type: string, extensions: readonly Extension[]): boolean {
  const loaded = extensions.map(({ name }) => name.toLowerCase());
  return type.toLowerCase() === 'http' || extensionsOfSecret(type).some((name) => loaded.includes(name));
}

/** Uses the same variable as svc, so that both open another database together. */
function toPath(database: string): string {
  return `{{ env_var('SVC_DATABASE_PATH', '${database.replaceAll('\\', '/').replaceAll("'", "\\'")}') }}`;
}

function toExtension({ name, repo }: Extension): JsonValue {
  return repo === undefined ? name : { name, repo };
}

function toSecret({ name, type, parameters }: WrittenSecret): JsonObject {
  const entries = new Map<string, JsonValue>();
  for (const { path, inProfile } of valuesOf(name, parameters)) {
    const [parameter, key] = path;
    const text = `{{ env_var('${inProfile}') }}`;
    const before = entries.get(parameter);
    const map = typeof before === 'object' && before !== null ? before : {};
    entries.set(parameter, key === undefined ? text : { ...map, [key]: text });
  }
  return { type, name: toIdentifier(name), ...Object.fromEntries(entries) };
}

/** The keys of dbt_project.yml for the lists and folders of the site file. */
const KEYS: readonly (readonly [keyof Dbt, string])[] = [
  ['model_paths', 'model-paths'],
  ['analysis_paths', 'analysis-paths'],
  ['test_paths', 'test-paths'],
  ['seed_paths', 'seed-paths'],
  ['macro_paths', 'macro-paths'],
  ['snapshot_paths', 'snapshot-paths'],
  ['target_path', 'target-path'],
  ['clean_targets', 'clean-targets'],
];

/**
 * The values that dbt_project.yml needs. Folders that the site file does not name stay as an existing file has them.
 */
export function wantedProject(site: SiteFile, fresh: boolean): readonly Wanted[] {
  const dbt = site.dbt ?? DBT_DEFAULTS;
  const name = { path: ['name'], value: toIdentifier(site.project), how: 'start' } as const;
  const version = { path: ['config-version'], value: 2, how: 'start' } as const;
  const profile = toDbtProfile(site.project, site.profile);
  // `svc dbt --profile` chooses by a variable, so the file may name any profile of the project
  const accepts = (found: JsonValue) => String(found).startsWith(toDbtProfile(site.project, ''));
  const folders = KEYS.filter(([key]) => fresh || site.dbt !== null || !isUsual(dbt, key)).filter(
    // dbt warns that this key is deprecated, so we write it only for another folder than the default
    ([key]) => key !== 'target_path' || !isUsual(dbt, key),
  );
  return [
    name,
    version,
    { path: ['profile'], value: profile, how: 'set', accepts },
    ...folders.map(
      ([key, path]): Wanted => ({ path: [path], value: toJson(dbt[key]), how: site.dbt ? 'set' : 'start' }),
    ),
  ];
}

function isUsual(dbt: Dbt, key: keyof Dbt): boolean {
  return JSON.stringify(dbt[key]) === JSON.stringify(DBT_DEFAULTS[key]);
}

function toJson(value: Dbt[keyof Dbt]): JsonValue {
  return typeof value === 'object' ? [...value] : value;
}
