import type { JsonObject, JsonValue } from '../json.ts';
import type { Log, PythonSettings } from '../ports.ts';
import type { SiteFile } from '../project/site-model.ts';
import type { Settings } from './model.ts';
import { REDACTED } from './redact.ts';
import { getSecret } from './secrets.ts';

/** Where Python's settings come from. */
export interface PythonSettingsSource {
  /** Those that hold now; null where an artefact has no user file. */
  readonly settings: () => Settings | null;
  /** Names of the secrets that the site file declares. */
  readonly secrets: readonly string[];
  /** Absent from an artefact, which has no site file. */
  readonly site: SiteFile | null;
  readonly project: string;
  readonly log: Log;
}

/** What Python may know of the configuration: declared secrets by name, and everything else without any secret. */
export function createPythonSettings(source: PythonSettingsSource): PythonSettings {
  const { settings, secrets, log } = source;
  const given = new Set<string>();
  return {
    secret(name) {
      const found = settings();
      if (secrets.includes(name)) {
        const secret = found === null ? null : getSecret(found, name);
        remember(secret, given);
        return secret;
      }
      const message = `Python asked for the secret ${name.slice(0, 100)}, which svc-site.yml does not name under \`secrets\`.`;
      log({ level: 'warn', message });
      return null;
    },
    conceal: (text) => withoutGiven(text, given),
    config: () => ({ site: toSiteConfig(source), user: toUserConfig(settings()) }),
  };
}

/** Shorter ones would be found in every text. */
const MIN_HIDDEN = 6;
/** Reloads bring new ones. */
const MAX_HIDDEN = 1_000;

function remember(value: JsonValue, given: Set<string>): void {
  if (typeof value === 'string' && value.length >= MIN_HIDDEN && given.size < MAX_HIDDEN) given.add(value);
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) remember(part, given);
  }
}

/** Also as Python shows texts, or as an address has them. */
function withoutGiven(text: string, given: ReadonlySet<string>): string {
  let bare = text;
  for (const secret of given) {
    bare = bare.replaceAll(secret, REDACTED).replaceAll(encodeURIComponent(secret), REDACTED);
  }
  return bare;
}

/** Keys as in svc-site.yml. */
function toSiteConfig({ site, project, secrets, settings }: PythonSettingsSource): JsonObject {
  const profile = site?.profile ?? settings()?.profile ?? null;
  const known = { svc: 1, project, profile, secrets };
  if (site === null) return known;
  const { paths, database, extensions, sqlTools, plugins, audit, drift, dbt } = site;
  const { memoryLimit, ...opened } = database;
  return {
    ...known,
    paths,
    database: { ...opened, memory_limit: memoryLimit },
    extensions: extensions.map((extension) => ({ ...extension })),
    sql_tools: { enabled: sqlTools.enabled },
    plugin: plugins.map((plugin) => ({ ...plugin })),
    audit: { enabled: audit.enabled, path: audit.path },
    drift: { ...drift },
    dbt: dbt === null ? null : { ...dbt },
  };
}

/** Of one profile, and without values that may be secret; keys as in the user file. */
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
