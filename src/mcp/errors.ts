import { type InputRequiredResult, ProtocolError } from '@modelcontextprotocol/server';
import type { Runtime } from '../call/runtime.ts';
import { logIdsOf, type RequestContext } from '../context.ts';
import { causesOf, ERRORS, type SvcError, toPublicText } from '../errors.ts';

/** What failed: the method and the name in it. */
export interface Failed {
  readonly method: string;
  readonly name: string;
  readonly context: Pick<RequestContext, 'requestId' | 'traceparent'>;
}

/** Puts a failure into the log: what a client may not read, under the id that it is given. */
export function logFailure({ log }: Runtime, { method, name, context }: Failed, error: SvcError): void {
  // What DuckDB says about a caller's own statement repeats it, and that is no business of the log.
  const own = error.code === 'sql_rejected';
  log({
    level: ERRORS[error.code].shown ? 'info' : 'error',
    message: `${method} ${name} failed: ${own ? ERRORS.sql_rejected.public : error.message}`,
    fields: {
      ...logIdsOf(context),
      error_id: context.requestId,
      code: error.code,
      endpoint: name,
      causes: own ? [] : causesOf(error),
    },
  });
}

/** The public text of a failure and, where that hides the cause, the id under which the log has it. */
export function failureText(error: SvcError, requestId: string): string {
  const id = ERRORS[error.code].shown ? '' : ` (error id ${requestId})`;
  return `${toPublicText(error)}${id}`;
}

/** A failure of a method whose results have no form for one. */
export function toProtocolError(error: SvcError, requestId: string): ProtocolError {
  const { rpc, shown } = ERRORS[error.code];
  const data = shown ? error.detail : { error_id: requestId };
  return new ProtocolError(rpc, failureText(error, requestId), data);
}

/** The answer to a call that asks back. */
export function toInputRequired({ detail }: SvcError): InputRequiredResult {
  return { ...detail, resultType: 'input_required' };
}
