const BOUND_MS = 15_000;

/** Runs until SIGTERM, or until `ended` settles, then closes in an orderly way; SIGINT ends at once (spec, "Process signals"). */
export async function untilStopped(
  close: () => Promise<void>,
  ended: Promise<void> = new Promise(() => {}),
): Promise<0> {
  process.once('SIGINT', () => process.exit(130));
  const terminated = new Promise<void>((resolve) => {
    process.on('SIGTERM', () => resolve());
  });
  // A pending promise alone does not keep Node alive.
  const alive = setInterval(() => {}, 2 ** 30);
  await Promise.race([terminated, ended]);
  clearInterval(alive);
  setTimeout(() => process.exit(0), BOUND_MS).unref();
  await close();
  return 0;
}
