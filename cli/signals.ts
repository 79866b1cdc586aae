const BOUND_MS = 15_000;

/** Settles at SIGTERM; SIGINT ends the process at once, and so does SIGTERM when the end takes too long (spec, "Process signals"). */
export function watchSignals(): Promise<void> {
  process.once('SIGINT', () => process.exit(130));
  return new Promise((terminated) => {
    process.on('SIGTERM', () => {
      setTimeout(() => process.exit(0), BOUND_MS).unref();
      terminated();
    });
  });
}
