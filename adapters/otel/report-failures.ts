import type { Log } from '../../src/ports.ts';

/** The outcome of an export. The SDK's own type is in a private package. */
export interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** The common part of the exporters of spans and metrics. */
interface Exporter<Batch> {
  export(batch: Batch, done: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
}

interface ReportOptions {
  readonly signal: 'traces' | 'metrics';
  readonly log: Log;
  /** Milliseconds without an attempt after a failed one, so that not every request waits for a dead collector. */
  readonly restMs: number;
  readonly now: () => number;
}

const FAILED = 1;

/** Logs once that the collector fails and once that it is back. The SDK itself logs neither. */
export function reportFailures<Batch, E extends Exporter<Batch>>(exporter: E, options: ReportOptions): E {
  const { signal, log, restMs, now } = options;
  let failing = false;
  let restsUntil = 0;
  const note = ({ code, error }: ExportResult) => {
    const failed = code !== 0;
    restsUntil = failed ? now() + restMs : 0;
    if (failed === failing) return;
    failing = failed;
    if (failed)
      log({ level: 'warn', message: `telemetry: ${signal} cannot be exported: ${reasonOf(error)}` });
    else log({ level: 'info', message: `telemetry: ${signal} are exported again` });
  };
  const inner = exporter.export.bind(exporter);
  exporter.export = (batch, done) => {
    if (now() < restsUntil) return done({ code: FAILED });
    inner(batch, (result) => {
      note(result);
      done(result);
    });
  };
  return exporter;
}

function reasonOf(error: Error | undefined): string {
  return error?.message || 'the collector did not accept them';
}
