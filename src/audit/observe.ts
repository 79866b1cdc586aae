import type { CallObserver } from '../call/call-record.ts';
import type { AuditSink } from '../ports.ts';
import { type RecordOptions, toAuditRecord } from './record.ts';

/** What a runtime is given so that its calls are recorded. */
export interface Audit {
  readonly observe: CallObserver;
  readonly admit: () => void;
}

/** Records every call in a sink, one JSON text each. */
export function createAudit(sink: AuditSink, options: RecordOptions): Audit {
  return {
    observe: (call) => sink.record(JSON.stringify(toAuditRecord(call, options))),
    admit: () => sink.admit(),
  };
}
