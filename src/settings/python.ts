import type { JsonObject } from '../json.ts';
import type { Log, PythonSettings } from '../ports.ts';
import { type SiteFile, SQL_TOOLS, type SqlTools } from '../project/site-model.ts';
import type { Settings } from './model.ts';
import { createConcealment, hiddenValues } from './references/concealment.ts';
import { getSecret } from './secrets.ts';

/** The sources of the configuration that Python sees. */
interface PythonSettingsSource {
  /** The current settings; null if an artefact has no user file. */
  readonly settings: () => Settings | null;
  /** Names of the secrets that the site file declares. */
  readonly secrets: readonly string[];
  /** Null in an artefact, which has no site file. */
  readonly site: SiteFile | null;
  readonly project: string;
  readonly log: Log;
}

/** The configuration that Python may read: declared secrets by name, and all other settings without secrets. */
export function createPythonSettings(source: PythonSettingsSource): PythonSettings {
  const { settings, secrets, log } = source;
  const { add, conceal } = createConcealment();
  return {
    secret(name) {
      const found = settings();
      if (secrets.includes(name)) {
        const secret = found === null ? null : getSecret(found, name);
        if (secret !== null) add(hiddenValues(secret));
        return secret;
      }
      const message = `Python asked for the secret ${name.slice(0, 100)}, which svc-site.yml does not name under \`secrets\`.`;
      log({ level: 'warn', message });
      return null;
    },
    conceal,
    config: () => ({ site: toSiteConfig(source), user: toUserConfig(settings()) }),
  };
}

/** The site file with defaults, but without the profiles. Keys as in svc-site.yml. */
function toSiteConfig({ site, project, secrets, settings }: PythonSettingsSource): JsonObject {
  const profile = site?.profile ?? settings()?.profile ?? null;
  const known = { svc: 1, project, profile, secrets };
  if (site === null) return known;
  const { paths, database, python, extensions, sqlTools, plugins, audit, drift, dbt, limits } = site;
  const { memoryLimit, ...opened } = database;
  const { maxFileSize, retentionDays, onError, ...recorded } = audit;
  return {
    ...known,
    paths,
    database: {
      ...opened,
      attach: opened.attach.map((attachment) => ({ ...attachment })),
      memory_limit: memoryLimit,
    },
    python: { ...python },
    extensions: extensions.map((extension) => ({ ...extension })),
    limits: { ...limits },
    tool_search: site.toolSearch,
    schema_profile: site.schemaProfile,
    sql_tools: toSqlTools(sqlTools),
    plugin: plugins.map((plugin) => ({ ...plugin })),
    audit: {
      ...recorded,
      max_file_size: maxFileSize,
      retention_days: retentionDays,
      on_error: onError,
    },
    drift: { ...drift },
    dbt: dbt === null ? null : { ...dbt },
  };
}

function toSqlTools({ enabled, attached, tables, descriptions, policies }: SqlTools): JsonObject {
  const tools = SQL_TOOLS.map((name) => {
    const { [name]: description } = descriptions;
    const { input, output } = policies[name] ?? { input: [], output: [] };
    const rules = {
      input: input.map((rule) => ({ ...rule })),
      output: output.map((rule) => ({ ...rule })),
    };
    return [name, { ...(description === undefined ? {} : { description }), policies: rules }] as const;
  });
  const visible = tables?.map((table) => ({ ...table })) ?? null;
  return { enabled, attached, tables: visible, ...Object.fromEntries(tools) };
}

/** The settings of one profile without values that may be secret. Keys as in the user file. */
function toUserConfig(settings: Settings | null): JsonObject {
  if (settings === null) return {};
  const { project, profile, transport, telemetry, models, secrets, plugins } = settings;
  const named = Object.entries(models.named).map(([name, { type, timeout, max_retries }]) => [
    name,
    { type, timeout, max_retries },
  ]);
  return {
    project,
    profile,
    transport: JSON.parse(JSON.stringify(transport)),
    telemetry: {
      enabled: telemetry.enabled,
      service_name: telemetry.service_name,
      environment: telemetry.environment,
    },
    models: { default: models.default, models: Object.fromEntries(named) },
    secrets: secrets.map(({ name, type }) => ({ name, type })),
    plugin: { config: Object.keys(plugins) },
  };
}
