export { SITE_WORDS as SITE_MEANINGS } from '../../src/quality/editor/site-words.ts';

const PROVIDER: Readonly<Record<string, string>> = {
  client_id: 'Client id from the provider. Required in the block.',
  client_secret: 'Client secret from the provider. Required in the block.',
  callback_path: 'Path to which the provider sends users back.',
  'claim_mappings.<name>.<name>[]':
    'Grants of a claim value: capabilities, `role:<name>`, `permission:<name>`.',
  scope: 'Requested scopes, separated by spaces.',
  auth_url: "The provider's authorization address. Default: the usual one.",
  token_url: "The provider's token address. Default: the usual one.",
  userinfo_url: 'Address of the user information. Default: derived from the other addresses.',
  revocation_url: 'Address for revoking tokens. Default: derived from the other addresses.',
  'extra_authorize_params.<name>': 'Additional parameters of the authorization request.',
};

const PUBLIC = { client_secret: 'Client secret from the provider; public clients have none.' };
const API = { api_url: "Base address of the provider's API. Default: derived from the other addresses." };

const of = (provider: string, more: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries({ ...PROVIDER, ...more }).map(([key, text]) => [
      `${PROFILE}auth.${provider}.${key}`,
      text,
    ]),
  );

/** The meanings of the people that a rule names. */
const members = (key: string) => ({
  [`${key}.emails[]`]: 'Verified email address.',
  [`${key}.domains[]`]: 'Domain of the verified email address; for Google, of the Workspace account (`hd`).',
  [`${key}.groups[]`]: 'Group, as in `user.groups`: for GitHub an organisation, or a team as `acme/admins`.',
  [`${key}.organizations[]`]:
    'Organisation: login (GitHub), id or host of a site (Atlassian), id (Salesforce), alias (Keycloak).',
  [`${key}.claims.<name>[]`]:
    'Value of a claim; the name may be a path such as `realm_access.roles` (Keycloak) or `permission_sets` (Salesforce).',
});

/** The further facts about the user of an API key. */
const KEY_USER: Readonly<Record<string, string>> = {
  username: '`user.username` in policies.',
  email: '`user.email` in policies.',
  name: '`user.name` in policies.',
  role: '`user.role` in policies.',
  'permissions[]': 'Entry of `user.permissions` in policies.',
  'groups[]': 'Entry of `user.groups` in policies.',
  'capabilities[]': 'Entry of `user.capabilities` in policies.',
  claims: '`user.claims` in policies: a map of any values.',
};

const MODEL: Readonly<Record<string, string>> = {
  type: 'Protocol of the model. Required.',
  api_key: 'API key of the service.',
  base_url: 'Address of a compatible service.',
  timeout: 'Timeout of one call, in seconds.',
  max_retries: 'Number of retries after a failed call.',
  model: "The vendor's name of the model. Default: the name used here.",
  'prices.input': 'Price of a million input tokens. Without prices, no cost is reported.',
  'prices.output': 'Price of a million output tokens.',
  'prices.currency': 'Currency of the prices. Default: `USD`.',
};

const model = (prefix: string) =>
  Object.fromEntries(Object.entries(MODEL).map(([key, text]) => [`${prefix}.${key}`, text]));

const PROFILE = 'projects.<project>.profiles.<profile>.';

/** The meaning of each key of the user file. */
export const USER_MEANINGS: Readonly<Record<string, string>> = {
  svc: 'Version of the file. Required.',
  'vault.enabled': 'Allow `vault://` references.',
  'vault.address': 'Address of Vault or OpenBao. Default: `VAULT_ADDR`.',
  'vault.token_env': 'Name of the variable with the token.',
  'vault.namespace': 'Namespace. Default: `VAULT_NAMESPACE`.',
  'onepassword.enabled': 'Allow `op://` references.',
  'onepassword.token_env':
    'Name of the variable with the token of the service account (needs `@1password/sdk`).',
  'onepassword.connect_host':
    'Address of a Connect server, used instead of the SDK. Default: `OP_CONNECT_HOST`.',
  'onepassword.connect_token_env': 'Name of the variable with the token for the Connect server.',
  'transport.provider': 'Transport of the server.',
  'transport.http.port': 'Port; 0 takes any free port.',
  'transport.http.host': 'Address to listen on.',
  'transport.http.scheme': 'Scheme of the public address if `base_url` is not set.',
  'transport.http.base_url': 'Public address of the server. Its host name is always allowed.',
  'transport.http.trust_proxy':
    'Take the scheme from `X-Forwarded-Proto`, and the client address from the last entry of `X-Forwarded-For`.',
  'transport.http.allowed_hosts[]':
    'Host names, without ports, that the server answers to, in addition to that of `base_url`. On a local address and without sign-in, the names of its own machine count too; health checks also come to IP addresses. `"*"` allows all. Default: none on a local address. On another address: all with sign-in, and IP addresses without it.',
  'transport.http.allowed_origins[]':
    'Host names or whole origins whose web pages may call the server. Default: those of this machine; all if users sign in and other machines reach the server.',
  'transport.http.stateless': 'Keep no state between requests.',
  'transport.http.rate_limit.requests_per_minute':
    'Requests per minute for one user, or for one address if nobody signs in. 0 removes the limit. Default: 600 if other machines reach the server, otherwise no limit.',
  'transport.http.rate_limit.burst':
    'Number of requests that may come at once. Default: `requests_per_minute`.',
  'models.default': 'Model for evaluations that name no model.',
  ...model('models.models.<name>'),
  ...model('models.<name>'),
  'logging.enabled': 'Write the application log.',
  'logging.path': 'Log file. Default: standard error.',
  'logging.level': 'Lowest level that is written; `SVC_DEBUG` writes all levels.',
  'logging.format':
    'Format of each line: text for people (`human`) or a JSON object. `auto` is text on a terminal, and JSON elsewhere.',
  'logging.max_bytes': 'Size in bytes at which the log file is rotated.',
  'logging.backup_count': 'Number of older log files that are kept.',
  [`${PROFILE}secrets[].name`]: 'Name of the secret, as in the site file. Required.',
  [`${PROFILE}secrets[].type`]:
    '`database`, `api`, `custom`, or a type of DuckDB such as `s3` or `postgres`. Required.',
  [`${PROFILE}secrets[].parameters.<name>`]: 'Value of the parameter; maps may be nested.',
  [`${PROFILE}plugin.config.<plugin>.<name>`]: 'Configuration of a plugin.',
  [`${PROFILE}auth.mode`]:
    '`issuer`: this server issues tokens. `verifier`: it checks the tokens of an OpenID provider.',
  [`${PROFILE}auth.provider`]: 'Identity provider; its block must exist.',
  [`${PROFILE}auth.keys[].kid`]: 'Name of a key for sealing tokens. Required.',
  [`${PROFILE}auth.keys[].secret`]:
    'The key, from `svc auth keygen`. The first key seals, and every key opens. `SVC_AUTH_KEYS` holds `kid:secret` pairs.',
  [`${PROFILE}auth.not_before`]: 'Tokens issued before this time are rejected.',
  [`${PROFILE}auth.blocked_clients[]`]: 'SHA-256 of a blocked client id, in hex.',
  [`${PROFILE}auth.clients[].client_id`]: 'Id of a preconfigured client. Required.',
  [`${PROFILE}auth.clients[].name`]: 'Name of the client. Required.',
  [`${PROFILE}auth.clients[].client_secret`]: 'Secret of the client; clients without one are public.',
  [`${PROFILE}auth.clients[].redirect_uris[]`]: 'Redirect addresses of the client.',
  [`${PROFILE}auth.clients[].grant_types[]`]: 'Grant types that the client may use.',
  [`${PROFILE}auth.clients[].scopes[]`]: 'Scopes that the client may get.',
  [`${PROFILE}auth.api_keys[].name`]: 'Name of a machine, as in audit records. Required.',
  [`${PROFILE}auth.api_keys[].hash`]:
    'SHA-256 of its API key, in hex, from `svc auth api-key`. Never shown. Required.',
  [`${PROFILE}auth.api_keys[].scopes[]`]: 'Scope that the machine holds besides `svc:access`.',
  [`${PROFILE}auth.api_keys[].expires`]: 'End of the key. A date alone is its beginning, in UTC.',
  [`${PROFILE}auth.api_keys[].user.id`]: 'Id of the user whom policies see. Default: the name of the key.',
  ...Object.fromEntries(
    Object.entries(KEY_USER).map(([key, text]) => [`${PROFILE}auth.api_keys[].user.${key}`, text]),
  ),
  ...members(`${PROFILE}auth.allow`),
  [`${PROFILE}auth.grants[].scope`]: 'Scope that the users of this entry hold. Required.',
  ...members(`${PROFILE}auth.grants[].to`),
  [`${PROFILE}auth.authorization.required_scopes[]`]:
    'Scopes that every user must hold; `auth.grants` says who holds them.',
  [`${PROFILE}auth.persistence.type`]:
    'Store of the sessions: a file on Node, DynamoDB on AWS Lambda, D1 on Cloudflare Workers.',
  [`${PROFILE}auth.persistence.path`]: 'File of a `sqlite` store.',
  [`${PROFILE}auth.persistence.table`]: 'Table of a `dynamodb` store. Required for it.',
  [`${PROFILE}auth.persistence.region`]: 'Region of the table. Default: the region of the function.',
  [`${PROFILE}auth.persistence.endpoint`]: 'Address of DynamoDB. Default: the address of AWS.',
  [`${PROFILE}auth.persistence.binding`]: 'Binding of the D1 database in wrangler.toml. Required for `d1`.',
  [`${PROFILE}auth.persistence.auth_encryption_key`]:
    'Key that seals tokens and sessions, for a `sqlite` store: any text of 32 characters or more. If `auth.keys` is set, it only opens.',
  [`${PROFILE}auth.hide_credential_headers`]:
    '`get_request_header` returns NULL for `authorization`, `cookie` and `dpop`.',
  [`${PROFILE}auth.public`]:
    'Everybody may call a server without sign-in, also from other machines. As `--public`.',
  ...of('github', API),
  ...of('atlassian', API),
  ...of('salesforce', { sandbox: 'Sign in at test.salesforce.com.' }),
  ...of('google'),
  ...of('keycloak', {
    ...PUBLIC,
    server_url: 'Address of the Keycloak server. Required in the block.',
    realm: 'Name of the realm. Required in the block.',
  }),
  ...of('oidc', {
    ...PUBLIC,
    config_url: 'Address of the discovery document. Required in the block.',
    audience: 'Audience that tokens must have.',
    provider_name: 'Name of the provider in logs and in `user.provider`.',
  }),
  ...Object.fromEntries(
    Object.entries({
      issuer: 'Issuer of the tokens of `mode: verifier`, exactly as in `iss`. Required in the block.',
      'audience[]': 'Audience that tokens must have. Default: the address of `/mcp`.',
      jwks_url:
        "Address of the signing keys. Default: from the issuer's discovery document, if `introspection_url` is not set either.",
      introspection_url: 'Address for the introspection of tokens that are not JWTs.',
      client_id: 'Client id for the introspection.',
      client_secret: 'Client secret for the introspection.',
      provider_name: 'Name of the issuer in logs and in `user.provider`.',
      'claim_mappings.<name>.<name>[]': PROVIDER['claim_mappings.<name>.<name>[]'] ?? '',
    }).map(([key, text]) => [`${PROFILE}auth.verifier.${key}`, text]),
  ),
  [`${PROFILE}telemetry.enabled`]: 'Send traces and metrics.',
  [`${PROFILE}telemetry.endpoint`]: 'Address of the OTLP/HTTP collector.',
  [`${PROFILE}telemetry.headers.<name>`]: 'Headers for the collector.',
  [`${PROFILE}telemetry.service_name`]: 'Name of the service. Default: the name of the project.',
  [`${PROFILE}telemetry.service_version`]: 'Version of the service.',
  [`${PROFILE}telemetry.environment`]: 'Deployment environment.',
  [`${PROFILE}telemetry.resource_attributes.<name>`]: 'Additional attributes of the service.',
  [`${PROFILE}telemetry.tracing.enabled`]: 'Send traces if telemetry is on.',
  [`${PROFILE}telemetry.tracing.console_export`]: 'Also print traces to standard error.',
  [`${PROFILE}telemetry.metrics.enabled`]: 'Send metrics if telemetry is on.',
  [`${PROFILE}telemetry.metrics.export_interval`]: 'Seconds between two exports.',
};
