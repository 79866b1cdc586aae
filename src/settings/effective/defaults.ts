import { DEFAULT_TRANSPORT } from '../../transports.ts';

/** The default of each effective key. */
export const DEFAULTS = {
  debug: false,
  'transport.provider': DEFAULT_TRANSPORT,
  'transport.http.port': 8000,
  'transport.http.host': '127.0.0.1',
  'transport.http.scheme': 'http',
  'transport.http.trust_proxy': false,
  'transport.http.stateless': false,
  'vault.enabled': false,
  'vault.token_env': 'VAULT_TOKEN',
  'onepassword.enabled': false,
  'onepassword.token_env': 'OP_SERVICE_ACCOUNT_TOKEN',
  'onepassword.connect_token_env': 'OP_CONNECT_TOKEN',
  'logging.enabled': true,
  'logging.level': 'INFO',
  'logging.format': 'auto',
  'logging.max_bytes': 10_485_760,
  'logging.backup_count': 5,
  'admin.enabled': false,
  'admin.socket': '/run/svc/svc.sock',
  'analytics.disabled': false,
  'auth.mode': 'issuer',
  'auth.provider': 'none',
  'auth.hide_credential_headers': false,
  'auth.public': false,
  'telemetry.enabled': false,
  'telemetry.tracing.enabled': true,
  'telemetry.tracing.console_export': false,
  'telemetry.metrics.enabled': true,
  'telemetry.metrics.export_interval': 60,
} as const;

/** The limit for each client of a server that other machines reach. Other servers have no default limit. */
export const RATE_LIMIT = { requests_per_minute: 600, burst: 600 } as const;

/** The defaults inside blocks that may occur several times. */
export const BLOCK_DEFAULTS = {
  callback_path: '/callback',
  grant_types: ['authorization_code'],
  scopes: ['svc:access'],
  persistence_path: '~/.svc/oauth.db',
} as const;
