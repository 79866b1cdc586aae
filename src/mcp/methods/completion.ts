import type { Server, ServerContext } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { completeParameter } from '../../call/completion.ts';
import { type Runtime, withLease } from '../../call/runtime.ts';
import type { Catalog, PromptEntry, ResourceEntry } from '../../catalog/model.ts';
import { toSvcError } from '../../errors.ts';
import type { Parameter } from '../../types/node.ts';
import type { ServerDeps } from '../context.ts';
import { contextOf } from '../context.ts';
import { logFailure, toProtocolError } from '../errors.ts';
import { invalidParams } from './pagination.ts';

const COMPLETE = v.looseObject({
  ref: v.variant('type', [
    v.looseObject({ type: v.literal('ref/prompt'), name: v.string() }),
    v.looseObject({ type: v.literal('ref/resource'), uri: v.string() }),
  ]),
  argument: v.looseObject({ name: v.string(), value: v.string() }),
  context: v.optional(v.looseObject({ arguments: v.optional(v.record(v.string(), v.string())) })),
});
// One wrong argument is enough: the SDK's answer would repeat a sentence for each.
const COMPLETE_PARAMS = v.config(COMPLETE, { abortEarly: true });

type CompleteParams = v.InferOutput<typeof COMPLETE>;

type Reference = v.InferOutput<typeof COMPLETE>['ref'];
type Completable = PromptEntry | ResourceEntry;

/** The most values in one answer (MCP, "Completion"). */
const MOST = 100;

/**
 * Answers `completion/complete` from the parameter's completion SQL, or from its declared values that start with
 * the text.
 */
export function answerCompletion(server: Server, runtime: Runtime, parts: ServerDeps): void {
  const complete = async ({ ref, argument, context: filled }: CompleteParams, ctx: ServerContext) => {
    const entry = entryOf(runtime.catalog, ref);
    const parameter = entry.parameters.find(({ name }) => name === argument.name);
    if (parameter === undefined) return [];
    const context = contextOf(parts, ctx);
    const completing = { ...argument, args: filled?.arguments ?? {} };
    try {
      const found = await withLease(runtime, context.signal, (leased) =>
        completeParameter(leased, entry, completing, { context, most: MOST }),
      );
      return found ?? valuesOf(parameter).filter(beginsWith(argument.value));
    } catch (thrown) {
      const error = toSvcError(thrown);
      const args = { ...completing.args, [argument.name]: argument.value };
      logFailure(runtime, { method: 'completion/complete', entry, args, context }, error);
      throw toProtocolError(error, context.requestId);
    }
  };
  server.setRequestHandler('completion/complete', { params: COMPLETE_PARAMS }, async (params, ctx) => {
    const values = await complete(params, ctx);
    const own = values.length > MOST ? {} : { total: values.length };
    return { completion: { values: values.slice(0, MOST), ...own, hasMore: values.length > MOST } };
  });
}

function entryOf({ prompts, resources }: Catalog, ref: Reference): Completable {
  const entries = new Map<string, Completable>(
    Object.entries(ref.type === 'ref/prompt' ? prompts : resources),
  );
  const key = ref.type === 'ref/prompt' ? ref.name : ref.uri;
  const entry = entries.get(key);
  if (entry !== undefined) return entry;
  const kind = ref.type === 'ref/prompt' ? 'prompt' : 'resource template';
  throw invalidParams(`Unknown ${kind}: ${key.slice(0, 128)}`);
}

function valuesOf({ type, enum: allowed }: Parameter): readonly string[] {
  if (allowed === undefined) return type === 'boolean' ? ['true', 'false'] : [];
  return allowed
    .filter((value) => value !== null)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

function beginsWith(text: string): (value: string) => boolean {
  const wanted = text.toLowerCase();
  return (value) => value.toLowerCase().startsWith(wanted);
}
