import type { ToolEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import { callTool } from '../endpoint/execute.ts';
import type { Runtime } from '../endpoint/runtime.ts';
import { causesOf, ERRORS, type SvcError, toSvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Era } from './era.ts';
import { toCallResult, toErrorResult } from './result.ts';

/** One `tools/call`: whatever goes wrong inside the tool is a result with `isError`, never a protocol error. */
export async function answerCall(
  runtime: Runtime,
  entry: ToolEntry,
  args: JsonObject,
  { context, era }: { context: RequestContext; era: Era },
) {
  try {
    return toCallResult(entry, await callTool(runtime, entry, args, context), era);
  } catch (thrown) {
    const error = toSvcError(thrown);
    logFailure(runtime, entry.name, error, context.requestId);
    return toErrorResult(error, context.requestId);
  }
}

function logFailure({ log }: Runtime, tool: string, error: SvcError, requestId: string): void {
  const { shown } = ERRORS[error.code];
  log({
    level: shown ? 'info' : 'error',
    message: `tools/call ${tool} failed: ${error.message}`,
    fields: { error_id: requestId, code: error.code, tool, causes: causesOf(error) },
  });
}
