import type { AnyEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import type { SvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { type Decision, NO_DECISION } from '../policy/decision.ts';
import type { FetchedRanges, ScanEstimate, Span } from '../ports.ts';
import type { EndpointKind } from '../project/model.ts';
import type { Runtime } from './runtime.ts';

/** The outcome of one call, made when the call has ended. Denied, invalid and unknown calls have one too. */
export interface CallRecord {
  readonly kind: EndpointKind;
  readonly name: string;
  /** The called endpoint, which declares its `sensitive` fields. Null for an unknown name. */
  readonly entry: AnyEntry | null;
  readonly context: RequestContext;
  /** The checked arguments, or the raw ones if the check failed. Sensitive values are not redacted here. */
  readonly args: JsonObject;
  /** The answers to the questions of `ask`; absent if none were given. Sensitive values are not redacted here. */
  readonly answers?: JsonObject;
  readonly status: 'success' | 'error';
  /** By the runtime's clock, in milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly decision: Decision;
  /** Set when telemetry is on. */
  readonly traceId: string | null;
  /** The root span of the call; absent if the call was refused before it began. */
  readonly span?: Span;
  readonly error: SvcError | null;
  /** The events that the endpoint's Python function reported; absent without any. */
  readonly events?: readonly JsonObject[];
  /** The estimate of the call's scans; absent without limits on them. */
  readonly estimate?: ScanEstimate;
  /** Whether the result was kept from an earlier call; absent if it may not be kept. */
  readonly cached?: boolean;
  /** The ranges that the call fetched; absent for a database at hand. */
  readonly fetched?: FetchedRanges;
  /** The answer after policies and limits; null for an error. */
  readonly result: JsonValue;
}

/** Receives the record of every call; must neither throw nor wait. */
export type CallObserver = (record: CallRecord) => void;

/** A call of an unknown name. */
export interface UnknownCall {
  readonly kind: EndpointKind;
  readonly name: string;
  readonly args: JsonObject;
  readonly context: RequestContext;
  readonly error: SvcError;
}

/** A call that is refused before it begins. */
export interface RejectedCall extends Omit<UnknownCall, 'kind' | 'name'> {
  readonly entry: AnyEntry;
}

const MAX_NAME = 256;

/** Reports a call of an unknown name to the observer. */
export function recordUnknown(runtime: Runtime, { name, ...call }: UnknownCall): void {
  note(runtime, { ...call, name: name.slice(0, MAX_NAME), entry: null });
}

/** Reports a rejected call to the observer: the caller lacks the scope, or the parameters are malformed. */
export function recordRejected(runtime: Runtime, call: RejectedCall): void {
  const { kind, name } = call.entry;
  note(runtime, { ...call, kind, name });
}

function note({ observe, clock }: Runtime, call: UnknownCall & { readonly entry: AnyEntry | null }): void {
  observe?.({
    ...call,
    status: 'error',
    startedAt: clock.now(),
    durationMs: 0,
    decision: NO_DECISION,
    traceId: null,
    result: null,
  });
}
