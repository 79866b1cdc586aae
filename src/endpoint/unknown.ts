import type { RequestContext } from '../context.ts';
import type { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { NO_DECISION } from '../policy/decision.ts';
import type { EndpointKind } from '../project/model.ts';
import type { Runtime } from './runtime.ts';

/** A call of a name that nothing answers to. */
export interface UnknownCall {
  readonly kind: EndpointKind;
  readonly name: string;
  readonly args: JsonObject;
  readonly context: RequestContext;
  readonly error: SvcError;
}

const MAX_NAME = 256;

/** Tells who watches of a call that found no endpoint. */
export function noteUnknown({ observe, clock }: Runtime, { name, ...call }: UnknownCall): void {
  observe?.({
    ...call,
    name: name.slice(0, MAX_NAME),
    entry: null,
    status: 'error',
    startedAt: clock.now(),
    durationMs: 0,
    decision: NO_DECISION,
    traceId: null,
    result: null,
  });
}
