import type { JsonObject } from './json.ts';

interface ErrorKind {
  /**
   * Status of the HTTP response if the request itself fails: at a guard, in OAuth, in the admin API.
   * An MCP call that fails has status `ANSWERED`, also a denied one. Only `capability_missing` keeps its status there
   * (MCP 2026-07-28).
   */
  readonly http: number;
  /** Code of the JSON-RPC error. */
  readonly rpc: number;
  /** Exit code of the command line: 2 if the command was called wrongly. */
  readonly exit: 1 | 2;
  /** Whether a client may read the message; otherwise it gets `public`. */
  readonly shown: boolean;
  readonly public: string;
}

const kind = (http: number, rpc: number, exit: 1 | 2, shown: boolean, text: string): ErrorKind => ({
  http,
  rpc,
  exit,
  shown,
  public: text,
});

/** Every error code: its HTTP status, JSON-RPC code, CLI exit code, and the text that a client may read. */
export const ERRORS = {
  usage: kind(400, -32602, 2, true, 'The command was not understood.'),
  project_invalid: kind(500, -32603, 1, false, 'The server is misconfigured.'),
  config_invalid: kind(500, -32603, 1, false, 'The server is misconfigured.'),
  reference_unresolved: kind(500, -32603, 1, false, 'The server is misconfigured.'),
  endpoint_unknown: kind(404, -32602, 2, true, 'There is no such endpoint.'),
  arguments_invalid: kind(400, -32602, 2, true, 'The arguments are not valid.'),
  request_invalid: kind(400, -32600, 1, true, 'The request is not valid.'),
  request_too_large: kind(413, -32600, 1, true, 'The request is too large.'),
  body_encoded: kind(415, -32600, 1, true, 'The request body is compressed.'),
  encoding_invalid: kind(400, -32700, 1, true, 'The text is not valid UTF-8.'),
  result_invalid: kind(
    500,
    -32603,
    1,
    false,
    'The endpoint returned a result that its definition does not allow.',
  ),
  not_found: kind(404, -32602, 1, true, 'Nothing was found.'),
  input_required: kind(400, -32603, 1, true, 'The call needs answers first.'),
  capability_missing: kind(400, -32021, 1, true, 'The client cannot answer what this call asks.'),
  denied: kind(403, -32600, 1, true, 'Access denied.'),
  method_not_allowed: kind(405, -32600, 1, true, 'The method is not allowed here.'),
  result_too_large: kind(500, -32603, 1, true, 'The result is too large.'),
  sql_failed: kind(500, -32603, 1, false, 'The query of this endpoint failed.'),
  sql_rejected: kind(400, -32602, 1, true, 'The statement was refused.'),
  scan_too_large: kind(400, -32602, 1, true, 'The statement would scan more than this server allows.'),
  database_unavailable: kind(503, -32603, 1, false, 'The database is not available.'),
  database_readonly: kind(500, -32603, 1, false, 'The database is read-only.'),
  outcome_unknown: kind(
    500,
    -32603,
    1,
    true,
    'The change may be there or not. Read it before you try again.',
  ),
  python_failed: kind(500, -32603, 1, false, 'The function of this endpoint failed.'),
  python_refused: kind(400, -32603, 1, true, 'The call was refused.'),
  python_unavailable: kind(503, -32603, 1, false, 'Python is not available.'),
  memory_exceeded: kind(500, -32603, 1, true, 'The query needs more memory than this server allows.'),
  deadline_exceeded: kind(504, -32603, 1, true, 'The query took longer than this server allows.'),
  cancelled: kind(499, -32603, 1, true, 'The call was cancelled.'),
  busy: kind(503, -32603, 1, true, 'The server is busy; try again.'),
  audit_unavailable: kind(503, -32603, 1, true, 'Calls cannot be recorded, so none is answered.'),
  target_unsupported: kind(500, -32603, 1, false, 'The server is misconfigured.'),
  model_failed: kind(502, -32603, 1, false, 'The language model did not answer.'),
  rate_limited: kind(429, -32600, 1, true, 'Too many requests; try again later.'),
  file_unavailable: kind(500, -32603, 1, false, 'Internal error.'),
  address_unavailable: kind(503, -32603, 1, false, 'The server is not available.'),
  login_refused: kind(400, -32600, 1, true, 'The identity provider refused the login.'),
  login_unavailable: kind(503, -32603, 1, false, 'A server that sign-in needs cannot be reached; try again.'),
  token_missing: kind(401, -32600, 1, true, 'A token is needed.'),
  token_invalid: kind(401, -32600, 1, true, 'The token is not valid.'),
  api_key_invalid: kind(401, -32600, 1, true, 'The API key is not valid.'),
  scope_insufficient: kind(403, -32600, 1, true, 'The token does not hold the scopes that are needed.'),
  client_invalid: kind(401, -32600, 1, true, 'The client is not known.'),
  client_unauthorized: kind(400, -32600, 1, true, 'The client may not do this.'),
  grant_invalid: kind(400, -32600, 1, true, 'The grant is not valid.'),
  grant_unsupported: kind(400, -32600, 1, true, 'The grant type is not supported.'),
  response_unsupported: kind(400, -32600, 1, true, 'The response type is not supported.'),
  scope_invalid: kind(400, -32600, 1, true, 'The scope is not valid.'),
  target_invalid: kind(400, -32600, 1, true, 'The resource is not served here.'),
  redirect_invalid: kind(400, -32600, 1, true, 'The redirect URI is not valid.'),
  registration_invalid: kind(400, -32600, 1, true, 'The client cannot be registered.'),
  internal: kind(500, -32603, 1, false, 'Internal error.'),
} as const satisfies Record<string, ErrorKind>;

/** HTTP status and JSON-RPC code of the messages that the MCP transport rejects before a handler runs. */
export const REJECTIONS = {
  message_invalid: { status: 400, code: -32600 },
  message_unparsable: { status: 400, code: -32700 },
  method_unknown: { status: 404, code: -32601 },
  header_mismatch: { status: 400, code: -32020 },
  version_unsupported: { status: 400, code: -32022 },
  session_unknown: { status: 404, code: -32001 },
  not_acceptable: { status: 406, code: -32600 },
  media_type_unsupported: { status: 415, code: -32600 },
} as const;

/**
 * The HTTP status of every answered call, successful, failed or denied: MCP reports the outcome in the body. A tool
 * returns a result with `isError`, any other method a JSON-RPC error. `streamable-http.ts` in `src/mcp/transport` sends it
 * for plain calls, `response.ts` for all others, also for streams; `statusOf` in `modern.ts` makes the exceptions.
 */
export const ANSWERED = 200;

/** The codes a caller can decide on. */
export type ErrorCode = keyof typeof ERRORS;

/** The one error class: a library's error is wrapped once, at the port, with `cause`. */
export class SvcError extends Error {
  override readonly name = 'SvcError';
  readonly code: ErrorCode;
  /** Facts for programs (the CLI's `--json`, JSON-RPC `data`); never a secret. */
  readonly detail: JsonObject | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; detail?: JsonObject } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
  }
}

/** The caller gave up, or the connection of the call closed. */
export function cancelledError(): SvcError {
  return new SvcError('cancelled', 'The call was cancelled.');
}

/**
 * Work took longer than its limit in milliseconds.
 *
 * @example deadlineError('The query', 500) // The query took longer than 500 ms.
 */
export function deadlineError(subject: string, timeoutMs: number): SvcError {
  return new SvcError('deadline_exceeded', `${subject} took longer than ${timeoutMs} ms.`);
}

/**
 * There is more work than can be taken now; the caller may try again.
 *
 * @example busyError('Too many clients listen') // Too many clients listen; try again.
 */
export function busyError(reason: string, options?: { cause?: unknown; detail?: JsonObject }): SvcError {
  return new SvcError('busy', `${reason}; try again.`, options);
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Any thrown value as a SvcError: foreign errors become `internal` and keep their cause. */
export function toSvcError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  return new SvcError('internal', messageOf(thrown), { cause: thrown });
}

/** The text that a client may read: the message, or the code's public text. */
export function toPublicText(error: SvcError): string {
  return ERRORS[error.code].shown ? error.message : ERRORS[error.code].public;
}

/** The messages of an error's causes, outermost first; for the log, never for a client. */
export function causesOf(error: Error): string[] {
  return error.cause instanceof Error ? [error.cause.message, ...causesOf(error.cause)] : [];
}

/** An error as it crosses threads and processes, without its cause. */
export interface PlainError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly detail?: JsonObject;
}

/** Converts an error to a form that can cross threads and processes. */
export function toPlainError({ code, message, detail }: SvcError): PlainError {
  return detail === undefined ? { code, message } : { code, message, detail };
}

/** Restores an error that crossed threads or processes. */
export function fromPlainError({ code, message, detail }: PlainError): SvcError {
  return new SvcError(code, message, detail === undefined ? {} : { detail });
}
