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
 * Handles SIGHUP from now on, because it would end the process by default. A signal before a handler is set is
 * remembered.
 */
export function watchHangups(): (reload: () => void) => void {
  let waiting = false;
  let take = () => {
    waiting = true;
  };
  process.on('SIGHUP', () => take());
  return (reload) => {
    take = reload;
    if (waiting) reload();
  };
}

/**
 * Resolves at the first SIGINT or SIGTERM, for a command that must stop its children first. The second signal ends
 * the process.
 */
export function untilStopped(): Promise<void> {
  return new Promise((stopped) => {
    let asked = false;
    const ask = () => {
      if (asked) process.exit(130);
      asked = true;
      stopped();
    };
    process.on('SIGINT', ask);
    process.on('SIGTERM', ask);
  });
}
