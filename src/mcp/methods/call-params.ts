import type { ServerContext } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { recordRejected, recordUnknown } from '../../call/call-record.ts';
import type { Runtime } from '../../call/runtime.ts';
import type { AnyEntry } from '../../catalog/model.ts';
import type { RequestContext } from '../../context.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { ServerDeps } from '../context.ts';
import { contextOf } from '../context.ts';
import { elicitationOf } from '../elicitation/elicitation.ts';
import { toProtocolError } from '../errors.ts';

/** The parameters of calls. We read them here and not by a schema, so that malformed calls are recorded too. */
export const CALL_PARAMS = v.looseObject({});

type Params = { readonly [key: string]: unknown };

/** A requested call. */
export interface Called<Entry extends AnyEntry> {
  readonly kind: Entry['kind'];
  /** Empty without a name in the parameters. */
  readonly name: string;
  readonly entry: Entry | undefined;
  readonly args: JsonObject;
  /** The problem of the parameters; null for good ones. */
  readonly problem: string | null;
}

/** A call that is under way. */
export interface Begun<Entry extends AnyEntry> {
  readonly entry: Entry;
  readonly context: RequestContext;
}

/** Starts a call. Malformed calls are still reported to the observer and answered with -32602. */
export async function beginCall<Entry extends AnyEntry>(
  runtime: Runtime,
  parts: ServerDeps,
  ctx: ServerContext,
  { kind, name, entry, args, problem }: Called<Entry>,
): Promise<Begun<Entry>> {
  try {
    if (problem !== null) {
      throw new SvcError('arguments_invalid', `Invalid params for ${ctx.mcpReq.method}: ${problem}`);
    }
    if (entry === undefined) throw unknown(kind, name);
    const asks = entry.ask !== undefined || entry.confirm !== undefined;
    const elicitation = asks ? await elicitationOf(parts, ctx, entry, args) : undefined;
    return { entry, context: contextOf(parts, ctx, elicitation) };
  } catch (thrown) {
    const error = toSvcError(thrown);
    const call = { args, context: contextOf(parts, ctx), error };
    if (entry === undefined) recordUnknown(runtime, { ...call, kind, name });
    else recordRejected(runtime, { ...call, entry });
    throw toProtocolError(error, call.context.requestId);
  }
}

function unknown(kind: AnyEntry['kind'], name: string): SvcError {
  const detail = kind === 'resource' ? { detail: { uri: name } } : {};
  return new SvcError('endpoint_unknown', `Unknown ${kind}: ${name.slice(0, 128)}`, detail);
}

/** Describes the problem of the parameters of a `tools/call` or `prompts/get`; null for good ones. */
export function problemOf({ name, arguments: args = {} }: Params): string | null {
  if (typeof name !== 'string') return '`name` must be a text.';
  return isObject(args as JsonValue) ? null : '`arguments` must be an object.';
}

/** Reads the name and the arguments of a `tools/call` or `prompts/get`, as far as they are well-formed. */
export function readCalled<Entry extends AnyEntry>(
  kind: Entry['kind'],
  params: Params,
  entries: ReadonlyMap<string, Entry>,
): Called<Entry> {
  const problem = problemOf(params);
  const name = typeof params.name === 'string' ? params.name : '';
  const args = problem === null && params.arguments !== undefined ? (params.arguments as JsonObject) : {};
  return { kind, name, entry: entries.get(name), args, problem };
}
