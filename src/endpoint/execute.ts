import type { ToolEntry } from '../catalog/model.ts';
import type { RequestContext, User } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { SqlCaller } from '../ports.ts';
import { createArgumentsParser, validatorOf } from '../types/validate.ts';
import { enforceBudget } from './budget.ts';
import type { Outcome, Runtime } from './runtime.ts';
import { shapeResult } from './shape.ts';
import { runSql } from './sql.ts';

/** One call of a tool, from its raw arguments to its shaped, checked and bounded result (spec, "Spans"). */
export function callTool(
  runtime: Runtime,
  entry: ToolEntry,
  args: JsonObject,
  context: RequestContext,
): Promise<Outcome> {
  const attributes = {
    'svc.endpoint.name': entry.name,
    'svc.endpoint.type': entry.kind,
    'svc.auth.authenticated': context.user !== null,
  };
  return runtime.spans.span('svc.endpoint.execute', attributes, async () => {
    const values = await runtime.spans.span('svc.validation.input', {}, async () =>
      checkArguments(entry, args),
    );
    const { value, truncated } = await executeSource(runtime, entry, values, context);
    return enforceBudget(value, truncated, entry.limits);
  });
}

function checkArguments(entry: ToolEntry, args: JsonObject): JsonObject {
  const parsed = argumentsParserOf(entry)(args);
  if (parsed.ok) return parsed.values;
  const lines = parsed.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  throw new SvcError(
    'arguments_invalid',
    `The arguments of ${entry.name} are not valid:\n- ${lines.join('\n- ')}`,
    {
      detail: { issues: parsed.issues.map(({ path, message }) => ({ path, message })) },
    },
  );
}

async function executeSource(
  runtime: Runtime,
  entry: ToolEntry,
  values: JsonObject,
  context: RequestContext,
): Promise<{ value: JsonValue; truncated: boolean }> {
  const attributes = {
    'svc.execution.language': entry.source.language,
    'svc.params.count': entry.parameters.length,
    'svc.has_input_schema': entry.parameters.length > 0,
    'svc.has_output_schema': entry.returns !== null,
  };
  return runtime.spans.span('svc.execution_engine.execute', attributes, async (span) => {
    const result = await runSql(runtime, entry, values, {
      signal: context.signal,
      caller: toSqlCaller(context),
    });
    span.set({ 'svc.result.count': result.rows.length });
    const value = shapeResult(result, entry.returns, entry.name);
    await runtime.spans.span('svc.validation.output', {}, async () => checkResult(entry, value));
    return { value, truncated: result.truncated };
  });
}

function checkResult(entry: ToolEntry, value: JsonValue): void {
  if (entry.returns === null) return;
  const checked = validatorOf(entry.returns, 'output')(value);
  if (checked.ok) return;
  const lines = checked.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  throw new SvcError(
    'result_invalid',
    `${entry.name} returned what \`return\` does not allow:\n- ${lines.join('\n- ')}`,
  );
}

/** Headers are read only for somebody who is authenticated: making a map of them costs as much as the call. */
function toSqlCaller(context: RequestContext): SqlCaller | null {
  return context.user === null ? null : { ...identityOf(context.user), headers: context.headers };
}

function identityOf(user: User): Omit<SqlCaller, 'headers'> {
  return {
    externalToken: user.externalToken,
    username: user.username,
    provider: user.provider,
    email: user.email,
  };
}

type ArgumentsParser = ReturnType<typeof createArgumentsParser>;
const parsers = new WeakMap<ToolEntry, ArgumentsParser>();

/** Compiled on the first call: a server with 500 tools starts without compiling 500 validators. */
function argumentsParserOf(entry: ToolEntry): ArgumentsParser {
  const known = parsers.get(entry);
  if (known) return known;
  const parser = createArgumentsParser(entry.parameters);
  parsers.set(entry, parser);
  return parser;
}
