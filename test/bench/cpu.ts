/* Loaded into a measured program before all else: tells its parent the processor time it has used, when asked. */

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
// Listening must not keep alive what is told to end.
process.channel?.unref();
