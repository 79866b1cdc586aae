import { findResource } from '../catalog/find.ts';
import type { AnyEntry, PromptEntry, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import { logIdsOf, mayCall, type RequestContext } from '../context.ts';
import { SvcError, toSvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import {
  combineDecisions,
  type Decision,
  decisionAfter,
  NO_DECISION,
  toDeniedError,
} from '../policy/decision.ts';
import type { Span, SpanAttributes } from '../ports.ts';
import { answerParameters } from '../project/elicitation-model.ts';
import { callerCredentials, createTextRedactor } from '../redaction/redact.ts';
import { checkArguments, validArguments } from './arguments.ts';
import { toBlocks } from './content-blocks.ts';
import { answersIn, elicit, splitAnswers, withoutAnswers } from './elicitation.ts';
import { notifyChecked, notifyDone, notifyTruncated, type WatchedWork, watchWork } from './notifications.ts';
import { type EndpointPolicies, policiesOf } from './policies.ts';
import {
  type PromptOutcome,
  type ResolvedMessage,
  renderMessages,
  toMessages,
  toRecordedMessage,
} from './prompt.ts';
import { isPython, runPython } from './python.ts';
import { checkResult, enforceLimits, type Produced, shapeReturned, shapeRows } from './result.ts';
import { type Outcome, type Runtime, withLease } from './runtime.ts';
import { type StatementScan, toScanFacts } from './scan.ts';
import { findSlot, isSql, type PreparedSql, prepareSql, runSql } from './sql.ts';

/** One call of an endpoint. */
export interface Call<Entry extends AnyEntry = AnyEntry> {
  readonly runtime: Runtime;
  readonly entry: Entry;
  /** The arguments as the client sent them. A resource takes the values of its URI's placeholders. */
  readonly args: JsonObject;
  readonly context: RequestContext;
  /** False skips the check of the result against `return`, which `svc test` reports by itself. */
  readonly checkResult?: boolean;
  /** Called if the statement or the function of this call has begun to run. It may then have changed data, also if it failed. */
  readonly onRun?: () => void;
}

type Sourced = ToolEntry | ResourceEntry;
type Answer = Outcome | PromptOutcome;

/** The facts about a running call that its record will show. */
interface CallState {
  args: JsonObject;
  /** The answers to the endpoint's questions; null before they are given, and without questions. */
  answers: JsonObject | null;
  decision: Decision;
  traceId: string | null;
  /** The root span; null until it is open. */
  span: Span | null;
  /** Audit events reported by a Python function. */
  readonly events: JsonObject[];
  /** The data that each statement read, as far as it is known. */
  readonly scans: StatementScan[];
  /** Whether the result was kept from an earlier call; null if the result may not be kept. */
  cached: boolean | null;
  /** Tells the client the number of rows, once the output policies let them through; null if nothing ran. */
  tellRows: (() => void) | null;
}

/**
 * Runs one call from its raw arguments to its answer (spec, "Spans"), and reports it to the runtime's observer.
 * Throws `SvcError` for every call that fails or is denied.
 *
 *     const { value } = await callEndpoint({ runtime, entry: catalog.tools.hello, args: { name: 'Ada' }, context });
 */
export function callEndpoint(call: Call<PromptEntry>): Promise<PromptOutcome>;
export function callEndpoint(call: Call<Sourced>): Promise<Outcome>;
export async function callEndpoint(call: Call): Promise<Answer> {
  const { spans, clock } = call.runtime;
  const state: CallState = {
    args: call.args,
    answers: null,
    decision: NO_DECISION,
    traceId: null,
    span: null,
    events: [],
    scans: [],
    cached: null,
    tellRows: null,
  };
  const startedAt = clock.now();
  try {
    const answer = await withLease(call.runtime, call.context.signal, (runtime) =>
      spans.trace('svc.endpoint.execute', attributesOf(call), call.context.traceparent, (span) =>
        traceSteps({ ...call, runtime }, state, span),
      ),
    );
    await record(call, state, startedAt, { answer });
    return answer;
  } catch (thrown) {
    await record(call, state, startedAt, { error: toSvcError(thrown) });
    throw thrown;
  }
}

async function traceSteps(call: Call, state: CallState, span: Span): Promise<Answer> {
  state.traceId = span.traceId;
  state.span = span;
  try {
    return await takeSteps(call, state, span);
  } catch (thrown) {
    state.decision = decisionAfter(toSvcError(thrown), state.decision);
    throw thrown;
  } finally {
    const { outcome, evaluated } = state.decision;
    const decided = outcome === 'none' ? {} : { 'svc.policy.decision': outcome };
    span.set({ ...decided, 'svc.policy.rules_evaluated': evaluated });
  }
}

/** The steps of every call, in the order of the specification's span tree. */
async function takeSteps(call: Call, state: CallState, span: Span): Promise<Answer> {
  enforceScopes(call);
  call.runtime.admit?.();
  const loading = policiesOf(call.entry);
  const policies = loading instanceof Promise ? await loading : loading;
  const parsed = await enforceInput(call, state, policies, span);
  await validateInput(call, state, parsed, span);
  if (isWatched(call.context)) notifyChecked(call.context);
  const { ask, confirm } = call.entry;
  const asks = ask !== undefined || confirm !== undefined;
  const values = asks ? await elicitAnswers(call, state) : state.args;
  const produced = await execute(call, values, state, span).catch((thrown) => {
    const { answers } = state;
    throw answers === null ? thrown : withoutAnswers(toSvcError(thrown), ask ?? [], answers);
  });
  const value = await enforceOutput(call, state, policies, produced, span);
  state.tellRows?.();
  const answer = await toAnswer(call, produced, value);
  if (isWatched(call.context)) notifyDone(call.context, state.decision);
  return answer;
}

/** Applies to every call, also to a resource that a prompt embeds. Throws scope_insufficient. */
function enforceScopes({ entry, context }: Call): void {
  if (mayCall(entry, context.scopes)) return;
  const { name, scopes = [] } = entry;
  throw new SvcError('scope_insufficient', `${name} needs a token with all of: ${scopes.join(' ')}.`);
}

/** The arguments of a call with their defaults, or the error that tells what is wrong with them. */
type ParsedInput = { readonly values: JsonObject } | { readonly error: SvcError; readonly valid: JsonObject };

function parseInput({ entry, args, context }: Call): ParsedInput {
  const own = entry.ask === undefined ? args : splitAnswers(entry, args, context).args;
  try {
    return { values: checkArguments(entry, own) };
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (error.code !== 'arguments_invalid') throw thrown;
    return { error, valid: validArguments(entry, own) };
  }
}

/**
 * Conditions read typed values. If an argument is not valid, only a rule that does not need it can deny the call.
 * Returns the arguments that the conditions read; null without policies.
 */
async function enforceInput(
  call: Call,
  state: CallState,
  policies: EndpointPolicies | null,
  parent: Span,
): Promise<ParsedInput | null> {
  return parent.span('svc.policy.enforce_input', {}, async () => {
    if (policies === null) return null;
    const input = parseInput(call);
    if ('values' in input) state.args = input.values;
    const decision =
      'values' in input ? policies.input(input.values, call) : policies.denial(input.valid, call);
    if (decision !== null) decide(call, state, decision);
    return input;
  });
}

async function validateInput(
  call: Call,
  state: CallState,
  parsed: ParsedInput | null,
  parent: Span,
): Promise<void> {
  await parent.span('svc.validation.input', {}, async () => {
    const input = parsed ?? parseInput(call);
    if ('error' in input) throw input.error;
    state.args = input.values;
  });
}

/** Whether the client asked for progress or log lines; most clients do not. */
function isWatched({ progress, notify }: RequestContext): boolean {
  return progress !== undefined || notify !== undefined;
}

async function elicitAnswers({ runtime, entry, args, context }: Call, state: CallState): Promise<JsonObject> {
  const given = splitAnswers(entry, args, context).answers;
  const values = await elicit({ runtime, entry, context, given }, state.args);
  if (entry.ask !== undefined) state.answers = answersIn(values, entry.ask);
  return values;
}

/** Renders a prompt, or runs the SQL or the Python of a tool or a resource. */
async function execute(call: Call, values: JsonObject, state: CallState, parent: Span): Promise<Produced> {
  const { entry } = call;
  if (entry.kind === 'prompt') return render(entry, values, parent);
  // A text file is in no language of the specification.
  const { language } = entry.source;
  const attributes = {
    ...(language === 'text' ? {} : { 'svc.execution.language': language }),
    'svc.params.count': entry.parameters.length,
    'svc.has_input_schema': entry.parameters.length > 0,
    'svc.has_output_schema': entry.returns !== null,
  };
  return parent.span('svc.execution_engine.execute', attributes, async (span) => {
    const statement = isSql(entry) ? prepareSql(entry, values) : null;
    const slot = statement === null ? null : await findSlot(call.runtime, statement, call.context);
    if (slot !== null) {
      state.cached = slot.found !== null;
      const counted = slot.found === null ? {} : { 'svc.result.count': slot.found.count };
      span.set({ 'svc.cache.hit': state.cached, ...counted });
    }
    const work = isWatched(call.context) ? watchWork(call.context, entry) : null;
    let produced = slot?.found ?? null;
    try {
      produced ??= await runSource({ ...call, entry }, values, { state, span, work, statement });
    } finally {
      work?.stop();
    }
    // Also for a cached result: the difference would tell the client of another caller's call.
    if (work !== null && language !== 'text') state.tellRows = work.finish(produced.count);
    await span.span('svc.validation.output', {}, async () => {
      if (call.checkResult !== false) checkResult(entry, produced.value);
    });
    if (slot?.found === null) slot.keep(produced);
    return produced;
  });
}

async function render(entry: PromptEntry, values: JsonObject, parent: Span): Promise<Produced> {
  const attributes = {
    'svc.params.count': entry.parameters.length,
    'svc.has_input_schema': entry.parameters.length > 0,
    'svc.has_output_schema': false,
  };
  return parent.span('svc.execution_engine.execute', attributes, async (span) => {
    const value = await renderMessages(entry, values);
    span.set({ 'svc.result.count': value.length });
    // A prompt declares no `return` to check.
    await span.span('svc.validation.output', {}, async () => {});
    return { value, count: 0, binary: false, truncated: false, columns: null };
  });
}

/** Stands for a listener that a call does not have. */
function ignore(): void {}

/** The parts of a call that its source reports to. */
interface Running {
  readonly state: CallState;
  readonly span: Span;
  /** Null if the client does not ask for progress or log lines. */
  readonly work: WatchedWork | null;
  /** Null if the source is not SQL. */
  readonly statement: PreparedSql | null;
}

async function runSource(
  { runtime, entry, context, onRun = ignore }: Call<Sourced>,
  values: JsonObject,
  { state: { events, scans }, span, work, statement }: Running,
): Promise<Produced> {
  if (statement !== null) {
    const result = await runSql(runtime, statement, { context, span, scans, onRun });
    const count = result.rows.length;
    span.set({ 'svc.result.count': count });
    const { truncated, beyondBytes = false } = result;
    return { ...shapeRows(result, entry), count, truncated, beyondBytes, columns: result };
  }
  if (isPython(entry)) {
    const advance = work?.advance ?? ignore;
    const parts = { context, span, events, scans, advance, onRun };
    const returned = await runPython(runtime, entry, values, parts);
    const count = Array.isArray(returned.value) ? returned.value.length : 1;
    span.set({ 'svc.result.count': count });
    return { ...shapeReturned(returned, entry), count, truncated: returned.truncated, columns: null };
  }
  const { source } = entry;
  if (source.language === 'text') {
    return { value: source.text, count: 0, binary: false, truncated: false, columns: null };
  }
  throw new SvcError('internal', `${entry.name} has no source.`);
}

async function enforceOutput(
  call: Call,
  state: CallState,
  policies: EndpointPolicies | null,
  { value, columns }: Produced,
  parent: Span,
): Promise<JsonValue> {
  return parent.span('svc.policy.enforce_output', {}, async () => {
    if (policies === null) return value;
    const enforced = policies.output(value, columns, call);
    decide(call, state, enforced.decision);
    return enforced.value;
  });
}

/** Adds a decision to the call's. Throws denied for one that denies. */
function decide({ runtime, entry, args, context }: Call, state: CallState, decision: Decision): void {
  if (decision.outcome === 'none') return;
  state.decision = combineDecisions(state.decision, decision);
  if (decision.failure !== null) {
    // The text of CEL may quote an argument, or an answer that the result repeats.
    const credentials = callerCredentials(context);
    const parameters = [...entry.parameters, ...answerParameters(entry.ask ?? [])];
    const redact = createTextRedactor({ args: { ...args, ...state.answers }, parameters, credentials });
    runtime.log({
      level: 'error',
      message: redact(
        `a policy of ${entry.name} could not be evaluated, so the call was denied: ${decision.failure}`,
      ),
      fields: { ...logIdsOf(context), error_id: context.requestId, endpoint: entry.name },
    });
  }
  if (decision.outcome === 'deny') throw toDeniedError(decision);
}

/** The outcomes of results whose value no policy changed. A cached result has the same one each time. */
const outcomes = new WeakMap<Produced, Outcome>();

/** Makes the answer from the value that the output policies left. */
async function toAnswer(call: Call, produced: Produced, value: JsonValue): Promise<Answer> {
  const { entry, context } = call;
  if (entry.kind === 'prompt') {
    const messages = toMessages(entry, value);
    return { messages: await Promise.all(messages.map((message) => embedResource(call, message))) };
  }
  const unchanged = value === produced.value;
  const known = unchanged ? outcomes.get(produced) : undefined;
  const outcome = known ?? { ...enforceLimits(value, produced, entry.limits), ...orderOf(produced) };
  if (unchanged) outcomes.set(produced, outcome);
  if (outcome.truncated !== null) notifyTruncated(context, outcome.truncated);
  const isContent = entry.kind === 'tool' && entry.content === 'rows';
  const blocks = isContent ? { blocks: toBlocks(outcome.value, entry.name, produced.value) } : {};
  return { ...outcome, binary: produced.binary && typeof value === 'string', ...blocks };
}

/** The order of a statement's columns, if objects cannot keep it. */
function orderOf({ columns }: Produced): Pick<Outcome, 'columns'> {
  const names = columns?.columns.map(({ name }) => name) ?? [];
  return names.some((name) => /^\d+$/.test(name)) ? { columns: names } : {};
}

/** Reads a resource of this project that a prompt refers to, under the same policies as any other reader. */
async function embedResource({ runtime, context }: Call, message: ResolvedMessage): Promise<ResolvedMessage> {
  const { role, content } = message;
  if (content.type !== 'resource_link') return message;
  const { uri } = content;
  const found = findResource(runtime.catalog, uri);
  if (found === null) return message;
  // The client answers the questions of the prompt, and none of a resource inside it.
  const { elicitation: _, ...unasked } = context;
  const outcome = await callEndpoint({ runtime, entry: found.entry, args: found.values, context: unasked });
  return { role, content: { type: 'resource', uri, mimeType: found.entry.mimeType, outcome } };
}

function attributesOf({ entry, context }: Call): SpanAttributes {
  return {
    'svc.endpoint.name': entry.name,
    'svc.endpoint.type': entry.kind,
    'svc.auth.authenticated': context.user !== null,
    ...(context.user?.provider ? { 'svc.auth.provider': context.user.provider } : {}),
    ...(context.sessionId === null ? {} : { 'svc.session.id': context.sessionId }),
  };
}

/**
 * Reports an ended call to the observer, and waits for its record if the disk is behind. A call that waits for answers
 * has not ended: the client sends it again.
 */
async function record(
  { runtime, entry, context }: Call,
  { answers, span, events, scans, cached, tellRows: _, ...state }: CallState,
  startedAt: number,
  end: { readonly answer: Answer } | { readonly error: SvcError },
): Promise<void> {
  const { observe, clock } = runtime;
  const error = 'error' in end ? end.error : null;
  if (observe === undefined || error?.code === 'input_required') return;
  let result: JsonValue = null;
  if ('answer' in end) {
    const { answer } = end;
    result = 'messages' in answer ? answer.messages.map(toRecordedMessage) : answer.value;
  }
  observe({
    kind: entry.kind,
    name: entry.name,
    entry,
    context,
    startedAt,
    durationMs: clock.now() - startedAt,
    ...state,
    status: error === null ? 'success' : 'error',
    error,
    result,
    ...(answers === null ? {} : { answers }),
    ...(span === null ? {} : { span }),
    ...(events.length === 0 ? {} : { events }),
    ...(cached === null ? {} : { cached }),
    ...(scans.length === 0 ? {} : toScanFacts(scans)),
  });
  await runtime.written?.();
}
