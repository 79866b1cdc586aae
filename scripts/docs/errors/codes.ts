import type { ErrorCode } from '../../../src/errors.ts';

/** The cause of an error, and its fix. */
export interface Advice {
  readonly why: string;
  readonly fix: string;
}

const advice = (why: string, fix: string): Advice => ({ why, fix });

const MISCONFIGURED = 'Run `svc validate`; it names each place and its fix.';

/** Advice for every error code; the page keeps the order of `src/errors.ts`. */
export const ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  usage: advice(
    'The command line has an invalid option, argument or file name.',
    'See `svc <command> --help` or [commands.md](commands.md).',
  ),
  project_invalid: advice('`svc-site.yml` has errors, or every endpoint file has.', MISCONFIGURED),
  config_invalid: advice(
    'The user file or a variable has errors, or asks for something impossible.',
    MISCONFIGURED,
  ),
  reference_unresolved: advice(
    'A value refers to a variable, file, Vault secret or 1Password item that does not exist.',
    'The message names the key and the reference, never the value. Supply the value, then start or reload again.',
  ),
  endpoint_unknown: advice(
    'No enabled endpoint has this name. An endpoint with errors is not served.',
    '`svc list` shows all endpoints with their errors.',
  ),
  arguments_invalid: advice(
    'An argument is missing, unknown, or not of its declared type.',
    "The message lists each argument with its path; compare with the tool's input schema.",
  ),
  request_invalid: advice(
    'A message is not JSON-RPC, or lacks a field that its protocol revision requires.',
    "Use an MCP SDK, or compare with the revision's specification.",
  ),
  request_too_large: advice(
    'A body has more than 1 MiB or more than 64 levels; or in Python, a statement with its parameters has more than 64 MiB.',
    'Send less. Put large inputs into the database ([limits.md](limits.md)).',
  ),
  body_encoded: advice(
    'A body is compressed: its `Content-Encoding` is `gzip`, `deflate`, `br`, `zstd` or `compress`.',
    'Send the body as it is, without `Content-Encoding`.',
  ),
  encoding_invalid: advice(
    'A body has bytes that are not UTF-8, such as Latin-1 text.',
    'Send UTF-8, as the protocol requires.',
  ),
  result_invalid: advice(
    'The result does not match `return`.',
    'Correct `return` or the SQL. `svc run` shows the field, and `--skip-output-validation` shows the raw result.',
  ),
  not_found: advice(
    'The query of an endpoint returned no row, or the server has nothing at this address.',
    'Check the arguments or the URI.',
  ),
  input_required: advice(
    'The endpoint asks a person first (`confirm`, `ask`).',
    'Answer the questions, and send the call again with the answers. SDKs do this by themselves.',
  ),
  capability_missing: advice(
    'The endpoint asks a question, and the client cannot show questions. The call did nothing.',
    'Use a client with elicitation, or set `otherwise: allow` in the endpoint file.',
  ),
  denied: advice(
    'A policy denies the call or could not be evaluated, or the host or origin is not allowed.',
    "The reason is the author's. `svc policy matrix` shows which user may call which endpoint; the log says why a policy could not be evaluated.",
  ),
  method_not_allowed: advice(
    'The path exists but accepts other methods.',
    'Use POST for MCP; the `Allow` header names the other methods.',
  ),
  result_too_large: advice(
    'A result that cannot be truncated exceeds its limit.',
    "Request less, or raise the endpoint's `limits.bytes`.",
  ),
  scan_too_large: advice(
    'The plan of a statement estimates that it scans more than `limits.scan_rows` or `limits.scan_bytes` allow, so it did not run.',
    'Filter more or read fewer columns, or raise the limit.',
  ),
  sql_failed: advice(
    "The statement of an endpoint failed. The client gets an id; the log has DuckDB's text under this id.",
    'Look up the id in the log, and try the statement with `svc run` or `svc query`.',
  ),
  sql_rejected: advice(
    'A statement for the built-in SQL tools does more than read the database.',
    'Send one SELECT without files, settings or attached databases.',
  ),
  database_unavailable: advice(
    'The database file is missing, broken, held by another process, or of another storage version.',
    'The log names the cause. End the other process, or set `readonly: true`.',
  ),
  database_readonly: advice(
    'A statement writes, but the database is open read-only.',
    'Set `readonly: false`, omit `--stateless`, or make the endpoint read-only.',
  ),
  outcome_unknown: advice(
    'While the engine saved a change, a statement of another caller ended it or took all memory. Or the connection to an attached database was lost then, or it did not answer before the deadline.',
    'Read whether the change is there before you try again.',
  ),
  python_failed: advice(
    'The function of an endpoint raised an exception. The log has its traceback under the id.',
    'Correct the function; `svc run --debug` shows the traceback.',
  ),
  python_refused: advice('The function refused the call on purpose, with its own text.', 'Follow the text.'),
  python_unavailable: advice(
    'No interpreter was found, or it could not start.',
    'Install python3, or name an interpreter in `SVC_PYTHON` ([python-platforms.md](python-platforms.md)).',
  ),
  memory_exceeded: advice(
    'A query needs more memory than `database.memory_limit`.',
    'Aggregate earlier, request less, or raise the limit.',
  ),
  deadline_exceeded: advice(
    'A query ran longer than `limits.timeout`, by default 30 seconds.',
    "Request less, or raise the endpoint's limit.",
  ),
  cancelled: advice(
    'The client cancelled the call or disconnected.',
    'Nothing: the server stopped the work.',
  ),
  busy: advice(
    'Too many calls wait for the engine, or a file is in use.',
    'Try again after a moment, or run more instances.',
  ),
  audit_unavailable: advice(
    'Audit records cannot be written, and `audit.on_error` is `block`.',
    'Free disk space, or correct the permissions of the audit folder. Calls then continue by themselves.',
  ),
  target_unsupported: advice(
    'The project uses something that the platform or engine does not support.',
    '`svc validate --target <platform>` names each place.',
  ),
  model_failed: advice(
    'A language model of `svc evals` did not answer, or rejected its key.',
    'Check `models` in the user file; raise `timeout` or `max_retries`.',
  ),
  rate_limited: advice(
    'A user or address sent more requests than `transport.http.rate_limit` allows.',
    'Wait for the seconds in `Retry-After`.',
  ),
  file_unavailable: advice(
    'The operating system does not let this user read or write a file or folder, or the disk is full.',
    'The message names the file and the reason. Correct its permissions, free disk space, or choose another path.',
  ),
  address_unavailable: advice(
    'The port is in use, or the address does not belong to this machine.',
    'Choose another with `--port` or `--host`.',
  ),
  login_refused: advice(
    'The identity provider rejected the login, or the settings do not admit this user.',
    'Sign in again as the text says.',
  ),
  login_unavailable: advice(
    'The identity provider cannot be reached, or the document of a client (CIMD).',
    'Try again. Operators can run `svc doctor auth` to find the cause.',
  ),
  token_missing: advice(
    'The server requires a token.',
    'Follow `WWW-Authenticate` to sign in; clients do this by themselves.',
  ),
  token_invalid: advice(
    'The token is expired, revoked, altered, or issued for another server.',
    'Refresh it or sign in again.',
  ),
  api_key_invalid: advice(
    'The API key is unknown, was removed, or has expired.',
    'Correct the key, or get another from the operator (`svc auth api-key`).',
  ),
  scope_insufficient: advice(
    'The token lacks scopes. The challenge names all scopes that the call needs.',
    'Sign in again with these scopes.',
  ),
  client_invalid: advice(
    'The client id is unknown, or its secret is wrong.',
    'Register again, or correct `auth.clients`.',
  ),
  client_unauthorized: advice(
    'The client is known but may not use this grant.',
    'Add the grant to its `grant_types`.',
  ),
  grant_invalid: advice(
    'A code or refresh token is expired, used, or issued to another client.',
    'Start the login again.',
  ),
  grant_unsupported: advice(
    'The server does not offer this grant.',
    'See `grant_types_supported` in the metadata.',
  ),
  response_unsupported: advice(
    'The server offers only the response type `code`.',
    'Use the code flow with PKCE.',
  ),
  scope_invalid: advice('None of the scopes is known.', 'See `scopes_supported` in the metadata.'),
  target_invalid: advice(
    'The `resource` of a request is not this server.',
    'Use exactly the `resource` of the protected resource metadata.',
  ),
  redirect_invalid: advice(
    'The client did not register this redirect URI.',
    'Register it exactly. Only ports on the local machine may differ.',
  ),
  registration_invalid: advice(
    'The metadata of a client is invalid.',
    'The text names the field; see RFC 7591.',
  ),
  internal: advice(
    'The server has a fault. The client gets an id.',
    'Look up the id in the log, and report it with the log lines.',
  ),
};
