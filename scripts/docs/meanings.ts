export { SITE_WORDS as SITE_MEANINGS } from '../../src/quality/editor/site-words.ts';

const PROVIDER: Readonly<Record<string, string>> = {
  client_id: 'Id that the provider gave this server. Required in the block.',
  client_secret: 'Secret that the provider gave this server. Required in the block.',
  callback_path: 'Path that the provider sends people back to.',
  'claim_mappings.<name>.<name>[]':
    'What a claim grants by its value: capabilities, `role:<name>`, `permission:<name>`.',
  scope: 'Scopes asked for, separated by spaces.',
  auth_url: "The provider's authorization address, where it is not the usual one.",
  token_url: "The provider's token address, where it is not the usual one.",
  userinfo_url: 'Address that says who somebody is; derived from the others where it is missing.',
  revocation_url: 'Address that ends tokens; derived from the others where it is missing.',
  'extra_authorize_params.<name>': 'Further parameters of the authorization request.',
};

const PUBLIC = { client_secret: 'Secret that the provider gave this server; public clients have none.' };
const API = { api_url: "Base address of the provider's API; derived from the others where it is missing." };

const of = (provider: string, more: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries({ ...PROVIDER, ...more }).map(([key, text]) => [
      `${PROFILE}auth.${provider}.${key}`,
      text,
    ]),
  );

const MODEL: Readonly<Record<string, string>> = {
  type: 'Whose protocol the model speaks. Required.',
  api_key: 'Key for the service.',
  base_url: 'Address of a compatible service.',
  timeout: 'Seconds that one call may take.',
  max_retries: 'How often a failed call is made again.',
  model: 'What the vendor calls the model; the name here where it is missing.',
  'prices.input': 'Price of a million tokens that it reads; without prices no cost is told.',
  'prices.output': 'Price of a million tokens that it writes.',
  'prices.currency': 'Currency of the prices: `USD` where it is missing.',
};

const model = (prefix: string) =>
  Object.fromEntries(Object.entries(MODEL).map(([key, text]) => [`${prefix}.${key}`, text]));

const PROFILE = 'projects.<project>.profiles.<profile>.';

/** What each key of the user file is for. */
export const USER_MEANINGS: Readonly<Record<string, string>> = {
  svc: 'Version of the file. Required.',
  'vault.enabled': 'Allow `vault://` references.',
  'vault.address': 'Address of Vault or OpenBao; `VAULT_ADDR` where it is missing.',
  'vault.token_env': 'Variable that holds the token.',
  'vault.namespace': 'Namespace; `VAULT_NAMESPACE` where it is missing.',
  'onepassword.enabled': 'Allow `op://` references.',
  'onepassword.token_env': 'Variable that holds the token of the service account (needs `@1password/sdk`).',
  'onepassword.connect_host':
    'Address of a Connect server, instead of the SDK; `OP_CONNECT_HOST` where it is missing.',
  'onepassword.connect_token_env': 'Variable that holds the token for the Connect server.',
  'transport.provider': 'How clients reach the server.',
  'transport.http.port': 'Port; 0 takes any that is free.',
  'transport.http.host': 'Address to listen on.',
  'transport.http.scheme': 'Scheme of the public address where `base_url` is missing.',
  'transport.http.base_url': 'Public address of the server; its name is allowed as host.',
  'transport.http.trust_proxy':
    'Take the scheme from `X-Forwarded-Proto` and the client from the last entry of `X-Forwarded-For`.',
  'transport.http.allowed_hosts[]':
    'Host names, without ports, that the server answers to, beside its own machine\'s and that of `base_url`; `"*"` stands for all. Unset: on a local address those two, elsewhere all.',
  'transport.http.allowed_origins[]':
    'Host names, or whole origins, whose web pages may call the server; as `allowed_hosts`.',
  'transport.http.stateless': 'Remember nothing between requests.',
  'transport.http.rate_limit.requests_per_minute':
    'Requests that one user, or one address where nobody logs in, may send; 0 takes the limit away. 600 where other machines reach the server, otherwise none.',
  'transport.http.rate_limit.burst': 'How many of them may come at once; as many as in a minute, unless set.',
  'models.default': 'Model for evaluations that name none.',
  ...model('models.models.<name>'),
  ...model('models.<name>'),
  'logging.enabled': 'Write the application log.',
  'logging.path': 'Log file; standard error where it is missing.',
  'logging.level': 'Least level that is written; `SVC_DEBUG` writes everything.',
  'logging.format': 'One line for people, or one JSON object a line.',
  'logging.max_bytes': 'Bytes after which the log file is rotated.',
  'logging.backup_count': 'How many older log files are kept.',
  [`${PROFILE}secrets[].name`]: 'Name of the secret, as the site file has it. Required.',
  [`${PROFILE}secrets[].type`]:
    '`database`, `api`, `custom`, or a type of DuckDB such as `s3` or `postgres`. Required.',
  [`${PROFILE}secrets[].parameters.<name>`]: 'Value; maps may be nested.',
  [`${PROFILE}plugin.config.<plugin>.<name>`]: 'Configuration of a plugin.',
  [`${PROFILE}auth.mode`]:
    '`issuer`: this server gives out tokens; `verifier`: it checks those of an OpenID provider.',
  [`${PROFILE}auth.provider`]: 'Who signs people in; its block must be there.',
  [`${PROFILE}auth.keys[].kid`]: 'Name of a key that tokens are sealed with. Required.',
  [`${PROFILE}auth.keys[].secret`]:
    'The key, from `svc auth keygen`; the first seals, all open. `SVC_AUTH_KEYS` holds `kid:secret` pairs.',
  [`${PROFILE}auth.not_before`]: 'Tokens made before this time are refused.',
  [`${PROFILE}auth.blocked_clients[]`]: 'SHA-256 of a client id that is refused, in hex.',
  [`${PROFILE}auth.clients[].client_id`]: 'Id of a client that is known beforehand. Required.',
  [`${PROFILE}auth.clients[].name`]: 'Its name. Required.',
  [`${PROFILE}auth.clients[].client_secret`]: 'Its secret; clients without one are public.',
  [`${PROFILE}auth.clients[].redirect_uris[]`]: 'Addresses that it may be sent back to.',
  [`${PROFILE}auth.clients[].grant_types[]`]: 'What it may ask for.',
  [`${PROFILE}auth.clients[].scopes[]`]: 'Scopes that it may have.',
  [`${PROFILE}auth.authorization.required_scopes[]`]: 'Scopes that every caller must hold, all of them.',
  [`${PROFILE}auth.persistence.type`]:
    'Where sessions are stored: a file on Node, DynamoDB on AWS Lambda, D1 on Cloudflare Workers.',
  [`${PROFILE}auth.persistence.path`]: 'File of the store `sqlite`.',
  [`${PROFILE}auth.persistence.table`]: 'Table of the store `dynamodb`. Required there.',
  [`${PROFILE}auth.persistence.region`]: 'Its region; otherwise that of the function.',
  [`${PROFILE}auth.persistence.endpoint`]: 'Its address, where it is not that of AWS.',
  [`${PROFILE}auth.persistence.binding`]: 'Binding of the D1 database in wrangler.toml. Required there.',
  [`${PROFILE}auth.persistence.auth_encryption_key`]: 'Key that what `sqlite` stores is sealed with.',
  [`${PROFILE}auth.hide_credential_headers`]:
    '`get_request_header` answers NULL for `authorization`, `cookie` and `dpop`.',
  ...of('github', API),
  ...of('atlassian', API),
  ...of('salesforce', { sandbox: 'Log in at test.salesforce.com.' }),
  ...of('google'),
  ...of('keycloak', {
    ...PUBLIC,
    server_url: 'Address of the server. Required in the block.',
    realm: 'Realm. Required in the block.',
  }),
  ...of('oidc', {
    ...PUBLIC,
    config_url: 'Address of the discovery document. Required in the block.',
    audience: 'Audience that tokens must have.',
    provider_name: 'Name of the provider in logs and in `user.provider`.',
  }),
  ...Object.fromEntries(
    Object.entries({
      issuer: 'Who makes the tokens of `mode: verifier`, as their `iss` has it. Required in the block.',
      'audience[]': 'What tokens must be made out for; the address of the MCP endpoint where it is missing.',
      jwks_url: 'Keys that tokens are signed with; found by the issuer where both addresses are missing.',
      introspection_url: 'Where tokens that are no JWT are asked about.',
      client_id: 'Client that may ask there.',
      client_secret: 'Its secret.',
      provider_name: 'Name of the issuer in logs and in `user.provider`.',
      'claim_mappings.<name>.<name>[]': PROVIDER['claim_mappings.<name>.<name>[]'] ?? '',
    }).map(([key, text]) => [`${PROFILE}auth.verifier.${key}`, text]),
  ),
  [`${PROFILE}telemetry.enabled`]: 'Send traces and metrics.',
  [`${PROFILE}telemetry.endpoint`]: 'OTLP/HTTP collector.',
  [`${PROFILE}telemetry.headers.<name>`]: 'Headers for the collector.',
  [`${PROFILE}telemetry.service_name`]: 'Service name; the name of the project where it is missing.',
  [`${PROFILE}telemetry.service_version`]: 'Version of the service.',
  [`${PROFILE}telemetry.environment`]: 'Deployment environment.',
  [`${PROFILE}telemetry.resource_attributes.<name>`]: 'Further attributes of the service.',
  [`${PROFILE}telemetry.tracing.enabled`]: 'Send traces, once telemetry is on.',
  [`${PROFILE}telemetry.tracing.console_export`]: 'Print traces to standard error too.',
  [`${PROFILE}telemetry.metrics.enabled`]: 'Send metrics, once telemetry is on.',
  [`${PROFILE}telemetry.metrics.export_interval`]: 'Seconds between two exports.',
};
