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
