import type { SiteFile } from '../../project/site-model.ts';
import { toListenHost } from '../../public-address.ts';
import type { Override } from '../environment.ts';
import type { Model, Settings } from '../model.ts';
import type { ParsedActive, ParsedModel, ParsedRateLimit } from '../schema/user.ts';
import { DEFAULTS, RATE_LIMIT } from './defaults.ts';
import { toAuth } from './to-auth.ts';

/** The checked inputs of `toSettings`. */
interface SettingsDeps {
  readonly site: SiteFile;
  readonly active: ParsedActive;
  /** Overrides of keys that the user file does not have. */
  readonly overrides: readonly Override[];
}

/** Combines files, environment and flags, and applies defaults. */
export function toSettings(parts: SettingsDeps): Settings {
  const { site, active } = parts;
  const { profile } = active;
  const pick = createPick(parts.overrides);
  const debug = pick('debug', DEFAULTS.debug);
  return {
    project: site.project,
    profile: site.profile,
    debug,
    database: {
      path: pick('database.path', site.database.path),
      readonly: pick('database.readonly', site.database.readonly),
      engine: pick('database.engine', site.database.engine),
      isolation: site.database.isolation,
      memoryLimit: pick('database.memory_limit', site.database.memoryLimit),
      sandbox: pick('database.sandbox', site.database.sandbox),
      attach: site.database.attach,
      use: site.database.use,
    },
    audit: { ...site.audit, enabled: pick('audit.enabled', site.audit.enabled) },
    admin: {
      enabled: pick('admin.enabled', DEFAULTS['admin.enabled']),
      socket: pick('admin.socket', DEFAULTS['admin.socket']),
    },
    transport: toTransport(active.transport),
    logging: toLogging(parts),
    auth: toAuth(profile?.auth ?? {}),
    telemetry: toTelemetry(profile?.telemetry),
    models: toModels(active.models),
    secrets: (profile?.secrets ?? []).map(({ parameters, ...secret }) => ({
      ...secret,
      parameters: parameters ?? {},
    })),
    plugins: profile?.plugin?.config ?? {},
  };
}

type Pick = <T>(key: string, otherwise: T) => Widened<T>;
type Widened<T> = T extends boolean ? boolean : T;

/** The environment's values already have the types of their variables. */
function createPick(overrides: readonly Override[]): Pick {
  return <T>(key: string, otherwise: T) =>
    (overrides.find((one) => one.key === key)?.value ?? otherwise) as Widened<T>;
}

function toTransport(written: ParsedActive['transport']): Settings['transport'] {
  const http = written?.http;
  return {
    provider: written?.provider ?? DEFAULTS['transport.provider'],
    http: {
      port: http?.port ?? DEFAULTS['transport.http.port'],
      host: toListenHost(http?.host ?? DEFAULTS['transport.http.host']),
      scheme: http?.scheme ?? DEFAULTS['transport.http.scheme'],
      base_url: http?.base_url ? toBaseUrl(http.base_url) : null,
      trust_proxy: http?.trust_proxy ?? DEFAULTS['transport.http.trust_proxy'],
      allowed_hosts: http?.allowed_hosts ?? null,
      allowed_origins: http?.allowed_origins ?? null,
      stateless: http?.stateless ?? DEFAULTS['transport.http.stateless'],
      rate_limit: http?.rate_limit ? toRateLimit(http.rate_limit) : null,
    },
  };
}

/**
 * Writes an address as `URL` does, so that clients may write it in any way: host in lower case, no default port, no slash
 * at the end.
 */
function toBaseUrl(written: string): string {
  const { origin, pathname } = new URL(written);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** Each of the two keys defaults to a value that follows from the other, or to the usual limit. */
function toRateLimit({ requests_per_minute, burst }: ParsedRateLimit) {
  const most = requests_per_minute ?? RATE_LIMIT.requests_per_minute;
  return { requests_per_minute: most, burst: burst ?? Math.max(1, most) };
}

function toLogging({ active }: SettingsDeps): Settings['logging'] {
  const { enabled, path, level, format, max_bytes, backup_count } = active.logging ?? {};
  return {
    enabled: enabled ?? DEFAULTS['logging.enabled'],
    path: path ?? null,
    level: level ?? DEFAULTS['logging.level'],
    format: format ?? DEFAULTS['logging.format'],
    max_bytes: max_bytes ?? DEFAULTS['logging.max_bytes'],
    backup_count: backup_count ?? DEFAULTS['logging.backup_count'],
  };
}

function toTelemetry(written: NonNullable<ParsedActive['profile']>['telemetry']): Settings['telemetry'] {
  const { tracing, metrics } = written ?? {};
  return {
    enabled: written?.enabled ?? DEFAULTS['telemetry.enabled'],
    endpoint: written?.endpoint ?? null,
    headers: written?.headers ?? {},
    service_name: written?.service_name ?? null,
    service_version: written?.service_version ?? null,
    environment: written?.environment ?? null,
    resource_attributes: written?.resource_attributes ?? {},
    tracing: {
      enabled: tracing?.enabled ?? DEFAULTS['telemetry.tracing.enabled'],
      console_export: tracing?.console_export ?? DEFAULTS['telemetry.tracing.console_export'],
    },
    metrics: {
      enabled: metrics?.enabled ?? DEFAULTS['telemetry.metrics.enabled'],
      export_interval: metrics?.export_interval ?? DEFAULTS['telemetry.metrics.export_interval'],
    },
  };
}

/** Models by name, from both places (`models.<name>`, `models.models.<name>`). */
function toModels(written: ParsedActive['models']): Settings['models'] {
  const named = { ...written?.known.models, ...written?.others };
  return {
    default: written?.known.default ?? null,
    named: Object.fromEntries(Object.entries(named).map(([name, model]) => [name, toModel(model)])),
  };
}

function toModel({ type, api_key, base_url, timeout, max_retries, model, prices }: ParsedModel): Model {
  return {
    type,
    api_key: api_key ?? null,
    base_url: base_url ?? null,
    timeout: timeout ?? null,
    max_retries: max_retries ?? null,
    model: model ?? null,
    prices: prices ? { ...prices, currency: prices.currency ?? 'USD' } : null,
  };
}
