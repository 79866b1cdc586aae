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

/** Takes each SIGHUP from now on, which would end the process; one that comes too early waits for what takes it. */
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

/** Settles at the first SIGINT or SIGTERM, for what must end others before itself; a second one ends at once. */
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
