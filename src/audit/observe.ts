import type { CallObserver } from '../call/call-record.ts';
import { jsonLine } from '../one-line.ts';
import type { AuditSink } from '../ports.ts';
import { type RecordOptions, toAuditRecord } from './record.ts';

/** The observer that records the calls of a runtime. A file of its own, because bundles without audit replace it. */
export interface Audit {
  readonly observe: CallObserver;
  readonly admit: () => void;
  readonly written?: () => Promise<void> | null;
}

/** Records every call in a sink as one JSON text. */
export function createAudit(sink: AuditSink, options: RecordOptions): Audit {
  return {
    observe: (call) => sink.record(jsonLine(toAuditRecord(call, options))),
    admit: () => sink.admit(),
    written: () => sink.written?.() ?? null,
  };
}
