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
 * Resolves at the first SIGINT, SIGTERM or SIGHUP, for a command that must stop its children first: an artefact outlives a
 * terminal that closes. The second signal ends the process.
 */
export function untilStopped(): Promise<void> {
  return new Promise((stopped) => {
    let asked = false;
    const ask = () => {
      if (asked) process.exit(130);
      asked = true;
      stopped();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, ask);
  });
}
