/**
 * Returns how many milliseconds of processor time this thread has used. A busy machine stops the thread, not this clock, so
 * differences of it measure the work alone.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
