import { ENGINES } from '../project/site-model.ts';
import { LOG_FORMATS } from './schema/user.ts';

/** An environment variable, the setting that it overrides, and the form of its value. */
export interface Variable {
  readonly name: string;
  /** The effective key; null for variables that locate the settings. */
  readonly key: string | null;
  readonly type: 'text' | 'path' | 'boolean' | 'number' | 'amount' | 'pairs' | 'keys' | readonly string[];
  readonly meaning: string;
  /** The default in words, for variables without a key in a file. */
  readonly default?: string;
}

/** Every environment variable that configures svc (spec, "Environment variables"). */
export const VARIABLES: readonly Variable[] = [
  {
    name: 'SVC_PROFILE',
    key: 'profile',
    type: 'text',
    meaning: 'Active profile.',
    default: '`profile` of the site file',
  },
  { name: 'SVC_CONFIG', key: null, type: 'path', meaning: 'User file.', default: '~/.svc/config.yml' },
  {
    name: 'SVC_CONFIG_YAML',
    key: null,
    type: 'text',
    meaning: 'Content of the user file, for platforms without files; overrides SVC_CONFIG.',
  },
  { name: 'SVC_DATABASE_PATH', key: 'database.path', type: 'path', meaning: 'Database file.' },
  { name: 'SVC_DATABASE_ENGINE', key: 'database.engine', type: ENGINES, meaning: 'Database engine.' },
  {
    name: 'SVC_READONLY',
    key: 'database.readonly',
    type: 'boolean',
    meaning: 'Whether the database is opened for reading only.',
  },
  {
    name: 'SVC_DATABASE_MEMORY_LIMIT',
    key: 'database.memory_limit',
    type: 'amount',
    meaning: 'Memory limit of queries.',
  },
  {
    name: 'SVC_DATABASE_SANDBOX',
    key: 'database.sandbox',
    type: 'boolean',
    meaning: 'Whether SQL is confined to the database.',
  },
  {
    name: 'SVC_PYTHON',
    key: 'python.interpreter',
    type: 'path',
    meaning: 'Interpreter for Python endpoints, or `pyodide`.',
    default: "the project's `.venv`, else python3",
  },
  {
    name: 'SVC_EXTENSION_REPOSITORY',
    key: 'extension_repository',
    type: 'path',
    meaning: 'Folder, address or DuckDB repository (`core`) of all extensions; takes precedence over `repo`.',
  },
  {
    name: 'SVC_EXTENSION_DIRECTORY',
    key: 'extension_directory',
    type: 'path',
    meaning: 'Folder of installed extensions.',
    default: '~/.duckdb/extensions',
  },
  {
    name: 'SVC_ALLOW_UNSIGNED_EXTENSIONS',
    key: 'unsigned_extensions',
    type: 'boolean',
    meaning: 'Load unsigned extensions.',
    default: 'false',
  },
  { name: 'SVC_DEBUG', key: 'debug', type: 'boolean', meaning: 'Debug log, stacks and causes.' },
  { name: 'SVC_LOG_FORMAT', key: 'logging.format', type: LOG_FORMATS, meaning: 'Format of the log.' },
  { name: 'SVC_LOG', key: 'logging.format', type: LOG_FORMATS, meaning: 'Short for `SVC_LOG_FORMAT`.' },
  { name: 'SVC_ADMIN_ENABLED', key: 'admin.enabled', type: 'boolean', meaning: 'Serve the admin socket.' },
  { name: 'SVC_ADMIN_SOCKET', key: 'admin.socket', type: 'path', meaning: 'Path of the admin socket.' },
  {
    name: 'SVC_AUTH_KEYS',
    key: 'auth.keys',
    type: 'keys',
    meaning: 'Keys that seal tokens: `kid:secret` pairs separated by commas. The first one seals.',
  },
  {
    name: 'SVC_PUBLIC',
    key: 'auth.public',
    type: 'boolean',
    meaning: 'Whether everybody may call a server without sign-in, also from other machines.',
  },
  { name: 'SVC_AUDIT_ENABLED', key: 'audit.enabled', type: 'boolean', meaning: 'Write the audit log.' },
  {
    name: 'SVC_DISABLE_ANALYTICS',
    key: 'analytics.disabled',
    type: 'boolean',
    meaning: 'Accepted for compatibility: svc sends no analytics.',
  },
  {
    name: 'SVC_TELEMETRY_ENABLED',
    key: 'telemetry.enabled',
    type: 'boolean',
    meaning: 'Send traces and metrics.',
  },
  {
    name: 'SVC_TELEMETRY_TRACING_CONSOLE',
    key: 'telemetry.tracing.console_export',
    type: 'boolean',
    meaning: 'Print traces to standard error.',
  },
  {
    name: 'SVC_TELEMETRY_METRICS_INTERVAL',
    key: 'telemetry.metrics.export_interval',
    type: 'number',
    meaning: 'Seconds between two exports of metrics.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    key: 'telemetry.endpoint',
    type: 'text',
    meaning: 'OTLP/HTTP collector.',
  },
  {
    name: 'OTEL_SERVICE_NAME',
    key: 'telemetry.service_name',
    type: 'text',
    meaning: 'Service name of spans and metrics.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    key: 'telemetry.headers',
    type: 'pairs',
    meaning: 'Headers for the collector: `name=value`, separated by commas.',
  },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    key: 'telemetry.resource_attributes',
    type: 'pairs',
    meaning: 'Attributes of the service: `name=value`, separated by commas.',
  },
];
