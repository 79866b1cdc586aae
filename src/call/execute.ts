import type { ResourceEntry, ToolEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { validatorOf } from '../types/validate.ts';
import { toLines } from './arguments.ts';
import { toBlocks } from './content-blocks.ts';
import { notifyTruncated } from './notifications.ts';
import { performCall, type Steps } from './pipeline.ts';
import { enforceBudget } from './result-limits.ts';
import type { Outcome, Runtime } from './runtime.ts';
import { runSource, type SourceWork } from './source.ts';

/** How a call differs from a client's. */
export interface CallOptions {
  /** Whether the result is held against `return`; true when unsaid. */
  readonly checkResult?: boolean;
}

/** One call of a tool, from its raw arguments to its shaped, checked and bounded result (spec, "Spans"). */
export function callTool(
  runtime: Runtime,
  entry: ToolEntry,
  args: JsonObject,
  context: RequestContext,
  options: CallOptions = {},
): Promise<Outcome> {
  const steps = sourceSteps(runtime, entry, context, options);
  return performCall({ runtime, entry, args, context }, steps);
}

/** One reading of a resource; the values are those of its URI's placeholders, as text or already typed. */
export function readResource(
  runtime: Runtime,
  entry: ResourceEntry,
  values: JsonObject,
  context: RequestContext,
  options: CallOptions = {},
): Promise<Outcome> {
  const steps = sourceSteps(runtime, entry, context, options);
  return performCall({ runtime, entry, args: values, context }, steps);
}

interface Found {
  readonly value: JsonValue;
  readonly binary: boolean;
  readonly truncated: boolean;
}

function sourceSteps(
  runtime: Runtime,
  entry: ToolEntry | ResourceEntry,
  context: RequestContext,
  options: CallOptions,
): Steps<Found, Outcome> {
  const events: JsonObject[] = [];
  return {
    events,
    run: (values, span) => executeSource(runtime, entry, { values, context, options, span, events }),
    finish: ({ truncated, binary }, value) => {
      const bounded = enforceBudget(value, truncated, entry.limits);
      if (bounded.truncated !== null) notifyTruncated(context, bounded.truncated);
      const blocks = isContent(entry) ? { blocks: toBlocks(bounded.value, entry.name) } : {};
      return { ...bounded, binary: binary && typeof value === 'string', ...blocks };
    },
    resultOf: ({ value }) => value,
  };
}

function isContent(entry: ToolEntry | ResourceEntry): boolean {
  return entry.kind === 'tool' && entry.content === 'rows';
}

interface Execution extends SourceWork {
  readonly options: CallOptions;
}

function executeSource(
  runtime: Runtime,
  entry: ToolEntry | ResourceEntry,
  { span: parent, ...execution }: Execution,
): Promise<Found> {
  const attributes = {
    'svc.execution.language': entry.source.language,
    'svc.params.count': entry.parameters.length,
    'svc.has_input_schema': entry.parameters.length > 0,
    'svc.has_output_schema': entry.returns !== null,
  };
  return parent.span('svc.execution_engine.execute', attributes, async (span) => {
    const { rows, truncated, shape } = await runSource(runtime, entry, { ...execution, span });
    span.set({ 'svc.result.count': rows });
    const { value, binary } = shape();
    await span.span('svc.validation.output', {}, async () => {
      if (execution.options.checkResult !== false) checkResult(entry, value);
    });
    return { value, binary, truncated };
  });
}

function checkResult({ name, returns }: ToolEntry | ResourceEntry, value: JsonValue): void {
  if (returns === null) return;
  const checked = validatorOf(returns, 'output')(value);
  if (checked.ok) return;
  throw new SvcError(
    'result_invalid',
    `${name} returned what \`return\` does not allow:\n${toLines(checked.issues)}`,
  );
}
