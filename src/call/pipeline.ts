import type { AnyEntry } from '../catalog/model.ts';
import { logIdsOf, type RequestContext } from '../context.ts';
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
import { checkArguments } from './arguments.ts';
import type { CallObserver } from './call-record.ts';
import { elicit, splitAnswers } from './elicitation.ts';
import { notifyChecked, notifyDone } from './notifications.ts';
import { judgeOf } from './policies.ts';
import type { Runtime } from './runtime.ts';

/** One call of an endpoint. */
export interface Call {
  readonly runtime: Runtime;
  readonly entry: AnyEntry;
  readonly args: JsonObject;
  readonly context: RequestContext;
}

/** What differs between the kinds of endpoint. */
export interface Steps<Raw extends { readonly value: JsonValue }, Answer> {
  /** Makes the value that output policies judge, shaped and checked. */
  readonly run: (values: JsonObject, span: Span) => Raw | Promise<Raw>;
  /** Makes the answer of what output policies left. */
  readonly finish: (raw: Raw, value: JsonValue) => Answer | Promise<Answer>;
  /** The answer as a record keeps it. */
  readonly resultOf: (answer: Answer) => JsonValue;
  /** What the work did elsewhere; filled in while it runs. */
  readonly events?: readonly JsonObject[];
}

/** What is known of a call while it runs. */
interface Progress {
  args: JsonObject;
  decision: Decision;
  traceId: string | null;
}

/** The way of every call: arguments, input policies, the work, output policies, the answer (spec, "Spans"). */
export function performCall<Raw extends { readonly value: JsonValue }, Answer>(
  call: Call,
  steps: Steps<Raw, Answer>,
): Promise<Answer> {
  const progress: Progress = { args: call.args, decision: NO_DECISION, traceId: null };
  const { spans, observe } = call.runtime;
  const { resultOf, events = [] } = steps;
  const work = () =>
    spans.trace('svc.endpoint.execute', attributesOf(call), call.context.traceparent, async (span) => {
      progress.traceId = span.traceId;
      try {
        return await takeSteps(call, steps, progress, span);
      } catch (thrown) {
        progress.decision = decisionAfter(toSvcError(thrown), progress.decision);
        throw thrown;
      } finally {
        span.set(decisionAttributes(progress.decision));
      }
    });
  return observe === undefined ? work() : watch(call, { observe, progress, resultOf, events }, work);
}

async function takeSteps<Raw extends { readonly value: JsonValue }, Answer>(
  call: Call,
  { run, finish }: Steps<Raw, Answer>,
  progress: Progress,
  span: Span,
): Promise<Answer> {
  const { runtime, entry, context } = call;
  enforceScopes(call);
  runtime.admit?.();
  const { args, answers: given } = splitAnswers(entry, call.args, context);
  progress.args = await span.span('svc.validation.input', {}, async () => checkArguments(entry, args));
  const judging = judgeOf(entry, context.user, runtime.clock);
  const judge = judging instanceof Promise ? await judging : judging;
  await span.span('svc.policy.enforce_input', {}, async () => {
    take(call, progress, judge.input(progress.args));
  });
  notifyChecked(context);
  const asks = entry.ask !== undefined || entry.confirm !== undefined;
  const values = asks ? await elicit({ runtime, entry, context, given }, progress.args) : progress.args;
  const raw = await run(values, span);
  const value = await span.span('svc.policy.enforce_output', {}, async () => {
    const enforced = judge.output(raw.value);
    take(call, progress, enforced.decision);
    return enforced.value;
  });
  const answer = await finish(raw, value);
  notifyDone(context, progress.decision);
  return answer;
}

/** Whoever calls, and however: a prompt that embeds a resource too. */
function enforceScopes({ entry, context }: Call): void {
  if (mayCall(entry, context.scopes)) return;
  const { name, scopes = [] } = entry;
  throw new SvcError('scope_insufficient', `${name} needs a token with all of: ${scopes.join(' ')}.`);
}

/** Adds a decision to the call's; one that denies ends the call. */
function take({ runtime, entry, context }: Call, progress: Progress, decision: Decision): void {
  if (decision.outcome === 'none') return;
  progress.decision = combineDecisions(progress.decision, decision);
  if (decision.failure !== null) {
    runtime.log({
      level: 'error',
      message: `a policy of ${entry.name} could not be evaluated, so the call was denied: ${decision.failure}`,
      fields: { ...logIdsOf(context), error_id: context.requestId, endpoint: entry.name },
    });
  }
  if (decision.outcome === 'deny') throw toDeniedError(decision);
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

function decisionAttributes({ outcome, evaluated }: Decision): SpanAttributes {
  const rules = { 'svc.policy.rules_evaluated': evaluated };
  return outcome === 'none' ? rules : { 'svc.policy.decision': outcome, ...rules };
}

interface Watching<Answer> {
  readonly observe: CallObserver;
  readonly progress: Progress;
  readonly resultOf: (answer: Answer) => JsonValue;
  readonly events: readonly JsonObject[];
}

async function watch<Answer>(
  call: Call,
  { observe, progress, resultOf, events }: Watching<Answer>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const { entry, context, runtime } = call;
  const startedAt = runtime.clock.now();
  const tell = (error: SvcError | null, result: JsonValue) => {
    const durationMs = runtime.clock.now() - startedAt;
    const status = error === null ? ('success' as const) : ('error' as const);
    const known = { kind: entry.kind, name: entry.name, entry, context, startedAt, durationMs };
    observe({ ...known, ...progress, status, error, result, ...(events.length === 0 ? {} : { events }) });
  };
  try {
    const answer = await work();
    tell(null, resultOf(answer));
    return answer;
  } catch (thrown) {
    const error = toSvcError(thrown);
    // A call that waits for answers has not ended: it comes again with them.
    if (error.code !== 'input_required') tell(error, null);
    throw thrown;
  }
}

/** Whether scopes are all that an endpoint asks for; undefined: nobody asks for tokens. */
export function mayCall({ scopes: needed = [] }: AnyEntry, held: readonly string[] | undefined): boolean {
  return held === undefined || needed.every((scope) => held.includes(scope));
}
