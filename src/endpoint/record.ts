import type { AnyEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import type { SvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Decision } from '../policy/decision.ts';
import type { EndpointKind } from '../project/model.ts';

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
