import type { AnyEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import type { SvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { type Decision, NO_DECISION } from '../policy/decision.ts';
import type { EndpointKind } from '../project/model.ts';
import type { Runtime } from './runtime.ts';

/** What became of one call, denied, invalid and unknown ones too; made when the call has ended. */
export interface CallRecord {
  readonly kind: EndpointKind;
  readonly name: string;
  /** Null for a name that nothing answers to. Says what is `sensitive`. */
  readonly entry: AnyEntry | null;
  readonly context: RequestContext;
  /** As they were checked, or as they were sent where they did not pass; sensitive values are in it. */
  readonly args: JsonObject;
  readonly status: 'success' | 'error';
  /** By the runtime's clock, in milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly decision: Decision;
  /** Set when telemetry is on. */
  readonly traceId: string | null;
  readonly error: SvcError | null;
  /** What the call did elsewhere, as its Python tells of it; absent where it tells nothing. */
  readonly events?: readonly JsonObject[];
  /** What was answered, after policies and limits; null for an error. */
  readonly result: JsonValue;
}

/** Is told of every call; must neither throw nor wait. */
export type CallObserver = (record: CallRecord) => void;

/** A call of a name that nothing answers to. */
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

/** Tells who watches of a call that found no endpoint. */
export function recordUnknown(runtime: Runtime, { name, ...call }: UnknownCall): void {
  note(runtime, { ...call, name: name.slice(0, MAX_NAME), entry: null });
}

/** Tells who watches of a call that did not begin: its caller may not make it, or its parameters are none. */
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
