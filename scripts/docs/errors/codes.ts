import type { ErrorCode } from '../../../src/errors.ts';

/** Why an error comes, and what to do about it. */
export interface Advice {
  readonly why: string;
  readonly fix: string;
}

const advice = (why: string, fix: string): Advice => ({ why, fix });

const MISCONFIGURED = 'Run `svc validate`; it names each place and what to write.';

/** Every error code; the order of the page is that of `src/errors.ts`. */
export const ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  usage: advice(
    'An option, an argument or a file name of the command line is wrong.',
    'See `svc <command> --help` or [commands.md](commands.md).',
  ),
  project_invalid: advice('`svc-site.yml` or every endpoint file has errors.', MISCONFIGURED),
  config_invalid: advice(
    'The user file or a variable has errors, or what it asks for cannot be.',
    MISCONFIGURED,
  ),
  reference_unresolved: advice(
    'A variable, file, Vault secret or 1Password item that a value refers to is not there.',
    'The message names the key and the reference, never a value: supply it, and start or reload again.',
  ),
  endpoint_unknown: advice(
    'No enabled endpoint has that name; one that cannot be loaded is not served.',
    '`svc list` shows all of them with what is wrong.',
  ),
  arguments_invalid: advice(
    'An argument is missing, unknown, or not of its declared type.',
    "The message lists each one with its path; see the tool's input schema.",
  ),
  request_invalid: advice(
    'A message is no JSON-RPC, or lacks what its protocol revision asks for.',
    "Use an SDK of MCP, or compare with the revision's specification.",
  ),
  request_too_large: advice(
    'A body has more than 1 MiB or more than 64 levels.',
    'Send less; large inputs belong into the database ([limits.md](limits.md)).',
  ),
  result_invalid: advice(
    'What the SQL gave does not fit `return`.',
    'Correct `return` or the SQL; `svc run` shows the field, and `--skip-output-validation` what came.',
  ),
  not_found: advice('A resource has no such row, or an address nothing behind it.', 'Check the URI.'),
  input_required: advice(
    'The endpoint asks a person first (`confirm`, `ask`).',
    'Answer the questions, and send the call again with them; SDKs do that.',
  ),
  capability_missing: advice(
    'The endpoint asks, and the client can show no questions. Nothing was done.',
    'Use a client with elicitation, or let the author set `otherwise: allow`.',
  ),
  denied: advice(
    'A policy of the endpoint forbids the call, could not be evaluated, or the host or origin is not allowed.',
    "The reason is the author's; `svc policy matrix` shows who may what, and the log why one could not be evaluated.",
  ),
  method_not_allowed: advice(
    'The path is there and takes other methods.',
    'MCP takes POST; `Allow` names the others.',
  ),
  result_too_large: advice(
    'A result that cannot be cut is over its limit.',
    "Ask for less, or raise the endpoint's `limits.bytes`.",
  ),
  sql_failed: advice(
    "The statement of an endpoint failed. The client gets an id; the log has DuckDB's words under it.",
    'Look the id up in the log, and try the statement with `svc run` or `svc query`.',
  ),
  sql_rejected: advice(
    'A statement for the built-in SQL tools is not one that only reads the database.',
    'Send one SELECT without files, settings or attached databases.',
  ),
  database_unavailable: advice(
    'The database file is missing, broken, held by another process, or of another storage version.',
    'The log says which; end the other process, or open with `readonly: true`.',
  ),
  database_readonly: advice(
    'A statement writes, and the database is opened for reading.',
    'Set `readonly: false`, leave `--stateless` out, or make the endpoint read.',
  ),
  python_failed: advice(
    'The function of an endpoint raised an exception. The log has its traceback under the id.',
    'Correct the function; `svc run --debug` shows the traceback.',
  ),
  python_refused: advice(
    'The function refused the call on purpose; the text is its own.',
    'Do what the text says.',
  ),
  python_unavailable: advice(
    'No interpreter was found, or it could not start.',
    'Install python3, or name an interpreter in `SVC_PYTHON` ([python-platforms.md](python-platforms.md)).',
  ),
  memory_exceeded: advice(
    'A query needs more memory than `database.memory_limit`.',
    'Aggregate earlier, ask for less, or raise the limit.',
  ),
  deadline_exceeded: advice(
    'A query ran longer than `limits.timeout`, 30 seconds by default.',
    "Ask for less, or raise the endpoint's limit.",
  ),
  cancelled: advice('The client took the call back or went away.', 'Nothing; the work was stopped.'),
  busy: advice(
    'More calls wait than the engine takes, or a file is in use.',
    'Try again after a moment, or serve with more instances.',
  ),
  audit_unavailable: advice(
    'Records cannot be written and `audit.on_error` is `block`.',
    'Make room, or mend the rights of the audit folder; calls go on by themselves.',
  ),
  target_unsupported: advice(
    'The project uses what the platform or engine cannot do.',
    '`svc validate --target <platform>` names each place.',
  ),
  model_failed: advice(
    'A language model of `svc evals` did not answer, or refused its key.',
    'Check `models` in the user file; raise `timeout` or `max_retries`.',
  ),
  rate_limited: advice(
    'A user or address sent more than `transport.http.rate_limit`.',
    'Wait for the seconds of `Retry-After`.',
  ),
  file_unavailable: advice(
    'The system does not let this user read or write a file or a folder, or there is no space left.',
    'The message names the file and the reason: correct its rights, make room, or name another place.',
  ),
  address_unavailable: advice(
    'The port is taken, or the address is none of this machine.',
    'Choose another with `--port` or `--host`.',
  ),
  login_refused: advice(
    'The identity provider said no, or the person is not one whom the settings let in.',
    'Sign in again with what the text asks for.',
  ),
  login_unavailable: advice(
    "The identity provider cannot be reached, or refuses the server's own credentials.",
    'Try again; for the operator, `svc doctor auth` says what is wrong.',
  ),
  token_missing: advice(
    'The server asks for a token.',
    'Follow `WWW-Authenticate` to sign in; clients do that.',
  ),
  token_invalid: advice(
    'The token is over, revoked, changed, or for another server.',
    'Refresh it or sign in again.',
  ),
  scope_insufficient: advice(
    'The token lacks scopes; the challenge names all that the call needs.',
    'Sign in again with these scopes.',
  ),
  client_invalid: advice(
    'The client id is unknown or its secret wrong.',
    'Register again, or correct `auth.clients`.',
  ),
  client_unauthorized: advice(
    'The client is known, and may not use this grant.',
    'Add the grant to its `grant_types`.',
  ),
  grant_invalid: advice(
    'A code or refresh token is over, used, or of somebody else.',
    'Begin the login again.',
  ),
  grant_unsupported: advice(
    'The grant is none that is offered.',
    'See `grant_types_supported` in the metadata.',
  ),
  response_unsupported: advice('Only the response type `code` is offered.', 'Use the code flow with PKCE.'),
  scope_invalid: advice('None of the scopes is known.', 'See `scopes_supported` in the metadata.'),
  target_invalid: advice(
    'The `resource` of a request is not this server.',
    'Use the `resource` of the protected resource metadata, letter by letter.',
  ),
  redirect_invalid: advice(
    'The redirect URI is not one that the client registered.',
    'Register it exactly; only ports of this machine are free.',
  ),
  registration_invalid: advice(
    'The metadata of a client is not acceptable.',
    'The text names the field; see RFC 7591.',
  ),
  internal: advice(
    'A fault of the server. The client gets an id.',
    'Look the id up in the log, and report it with what the log says.',
  ),
};
