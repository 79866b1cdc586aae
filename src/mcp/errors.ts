import { type InputRequiredResult, ProtocolError } from '@modelcontextprotocol/server';
import type { Runtime } from '../call/runtime.ts';
import type { AnyEntry } from '../catalog/model.ts';
import { logIdsOf, type RequestContext } from '../context.ts';
import { causesOf, ERRORS, type SvcError, toPublicText } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { callerCredentials, createTextRedactor } from '../redaction/redact.ts';

/** The method and the call that failed. */
export interface Failed {
  readonly method: string;
  readonly entry: AnyEntry;
  readonly args: JsonObject;
  readonly context: Pick<RequestContext, 'requestId' | 'traceparent' | 'headers' | 'user'>;
}

/**
 * Logs a failure with its hidden causes, under the error id that the client gets. The texts of DuckDB, CEL and Python may
 * quote arguments and headers, so sensitive arguments and the caller's credentials are removed.
 */
export function logFailure(
  { log }: Runtime,
  { method, entry, args, context }: Failed,
  error: SvcError,
): void {
  const { name } = entry;
  const credentials = callerCredentials(context);
  const redact = createTextRedactor({ args, parameters: entry.parameters, credentials });
  // What DuckDB says about a caller's own statement repeats it, and that is no business of the log.
  const own = error.code === 'sql_rejected';
  log({
    level: ERRORS[error.code].shown ? 'info' : 'error',
    message: redact(`${method} ${name} failed: ${own ? ERRORS.sql_rejected.public : error.message}`),
    fields: {
      ...logIdsOf(context),
      error_id: context.requestId,
      code: error.code,
      endpoint: name,
      causes: own ? [] : causesOf(error).map((cause) => redact(cause)),
    },
  });
}

/** The public text of a failure, with the error id of the log line if the text hides the cause. */
export function failureText(error: SvcError, requestId: string): string {
  const id = ERRORS[error.code].shown ? '' : ` (error id ${requestId})`;
  return `${toPublicText(error)}${id}`;
}

/** Turns an error into a protocol error, for methods whose results cannot carry errors. */
export function toProtocolError(error: SvcError, requestId: string): ProtocolError {
  const { rpc, shown } = ERRORS[error.code];
  const data = shown ? error.detail : { error_id: requestId };
  return new ProtocolError(rpc, failureText(error, requestId), data);
}

/** The result of a call that requires input. */
export function toInputRequired({ detail }: SvcError): InputRequiredResult {
  return { ...detail, resultType: 'input_required' };
}
