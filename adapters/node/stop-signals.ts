import type { Log } from '../../src/ports.ts';

const BOUND_MS = 15_000;

/**
 * Resolves at SIGTERM. SIGINT ends the process at once; so does SIGTERM when shutting down takes too long (spec,
 * "Process signals").
 */
export function watchSignals(): Promise<void> {
  process.once('SIGINT', () => process.exit(130));
  return new Promise((terminated) => {
    process.on('SIGTERM', () => {
      setTimeout(() => process.exit(0), BOUND_MS).unref();
      terminated();
    });
  });
}

/**
 * Keeps an artefact running at SIGHUP, which reloads `svc serve` and ends a process by default. An artefact has all it
 * reads from its start, so the log says what to do instead.
 */
export function outliveHangups(log: Log): void {
  process.on('SIGHUP', () => {
    log({
      level: 'info',
      message: 'SIGHUP reloads nothing in an artefact. Start it again to take up changes.',
    });
  });
}
