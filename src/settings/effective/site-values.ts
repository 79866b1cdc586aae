import type { JsonValue } from '../../json.ts';
import { DBT_DEFAULTS } from '../../project/site.ts';
import { FOLDERS, type SiteFile } from '../../project/site-model.ts';
import type { Path } from '../../project/yaml/position.ts';

/** A setting of the site file: its effective key, its path in the file, and its value with defaults. */
export interface SiteValue {
  readonly key: string;
  readonly path: Path;
  readonly value: JsonValue;
}

/** Every setting of the site file, for the active profile. */
export function siteValues(site: SiteFile): readonly SiteValue[] {
  const same = (key: string, value: JsonValue): SiteValue => ({ key, path: key.split('.'), value });
  const own = (key: string, value: JsonValue): SiteValue => ({
    key,
    path: ['profiles', site.profile, ...key.split('.')],
    value,
  });
  return [
    same('project', site.project),
    same('profile', site.profile),
    own('database.path', site.database.path),
    own('database.readonly', site.database.readonly),
    own('database.engine', site.database.engine),
    own('database.isolation', site.database.isolation),
    ...(site.database.memoryLimit === null ? [] : [own('database.memory_limit', site.database.memoryLimit)]),
    own('database.sandbox', site.database.sandbox),
    ...(site.database.attach.length === 0 ? [] : [own('database.attach', site.database.attach.map(toPlain))]),
    ...(site.database.use === null ? [] : [own('database.use', site.database.use)]),
    ...(site.python.interpreter === null ? [] : [own('python.interpreter', site.python.interpreter)]),
    own('drift.path', site.drift.path),
    own('audit.enabled', site.audit.enabled),
    own('audit.path', site.audit.path),
    own('audit.max_file_size', site.audit.maxFileSize),
    own('audit.retention_days', site.audit.retentionDays),
    own('audit.on_error', site.audit.onError),
    own('audit.inputs', site.audit.inputs),
    own('audit.outputs', site.audit.outputs),
    ...FOLDERS.map((name) => same(`paths.${name}`, site.paths[name])),
    ...Object.entries(site.dbt ?? DBT_DEFAULTS).map(([key, value]) => same(`dbt.${key}`, value)),
    ...Object.entries(site.limits).map(([key, value]) => same(`limits.${key}`, value)),
    same('sql_tools.enabled', site.sqlTools.enabled),
    same('sql_tools.attached', site.sqlTools.attached),
    ...Object.entries(site.sqlTools.descriptions).map(([name, text]) =>
      same(`sql_tools.${name}.description`, text),
    ),
    ...Object.entries(site.sqlTools.policies).flatMap(([name, { input, output }]) => [
      same(`sql_tools.${name}.policies.input`, input.map(toPlain)),
      same(`sql_tools.${name}.policies.output`, output.map(toPlain)),
    ]),
    { key: 'site.secrets', path: ['secrets'], value: site.secrets },
    { key: 'site.plugin', path: ['plugin'], value: site.plugins.map((plugin) => ({ ...plugin })) },
    same(
      'extensions',
      site.extensions.map((extension) => ({ ...extension })),
    ),
  ];
}

function toPlain<T extends object>(rule: T): { readonly [Key in keyof T]: T[Key] } {
  return { ...rule };
}
