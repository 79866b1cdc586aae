import type { Log } from '../../src/ports.ts';

/** How an export ended; the SDK's own type lives in a package that is not for use. */
export interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** What exporters of spans and of metrics have in common. */
interface Exporter<Batch> {
  export(batch: Batch, done: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
}

interface Watching {
  /** `traces` or `metrics`. */
  readonly what: string;
  readonly log: Log;
  /** Milliseconds without another attempt after a failed one: where somebody waits for each attempt. */
  readonly restMs: number;
  readonly now: () => number;
}

const FAILED = 1;

/** Says once that a collector fails and once that it is back; the SDK itself would say nothing. */
export function watched<Batch, E extends Exporter<Batch>>(exporter: E, options: Watching): E {
  const { what, log, restMs, now } = options;
  let failing = false;
  let restsUntil = 0;
  const note = ({ code, error }: ExportResult) => {
    const failed = code !== 0;
    restsUntil = failed ? now() + restMs : 0;
    if (failed === failing) return;
    failing = failed;
    if (failed) log({ level: 'warn', message: `telemetry: ${what} cannot be exported: ${reasonOf(error)}` });
    else log({ level: 'info', message: `telemetry: ${what} are exported again` });
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
  return error?.message || 'the collector did not take them';
}
