import { callTool } from '../call/execute.ts';
import type { Runtime } from '../call/runtime.ts';
import type { ToolEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import { toSvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Era } from './era.ts';
import { logFailure, toInputRequired, toProtocolError } from './failure.ts';
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
    if (error.code === 'input_required') return toInputRequired(error);
    const { requestId } = context;
    logFailure(runtime, { method: 'tools/call', name: entry.name, context }, error);
    if (error.code === 'capability_missing' && era === 'modern') throw toProtocolError(error, requestId);
    return toErrorResult(error, requestId);
  }
}
