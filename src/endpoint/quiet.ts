import type { Log, Spans } from '../ports.ts';

/** Spans that go nowhere: telemetry is off. */
export const NO_SPANS: Spans = { span: (_name, _attributes, run) => run({ set() {} }) };

/** A log that goes nowhere. */
export const NO_LOG: Log = () => {};
